# A number that is no class is an error; otherwise it would not be counted.
print(metrics.confusion([0, 2], [0, 1], 2))
# error: PM0503 "metrics.confusion([0, 2], [0, 1], 2)"
