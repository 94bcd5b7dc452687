# Numbers that are no class are refused; otherwise they would be lost silently.
print(metrics.confusion([0, 2], [0, 1], 2))
# error: PM0503 "metrics.confusion([0, 2], [0, 1], 2)"
