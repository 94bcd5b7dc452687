fn scale(factor=2, x) = factor * x
print(scale(2, 3))

# configs: compiled
# error: PM0022 "x"
# message: a parameter without a default cannot follow one with a default
# second: "factor=2"
