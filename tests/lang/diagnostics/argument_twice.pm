fn scale(x, factor) = factor * x
print(scale(3, 4, x=2))

# error: PM0105 "x"
# message: `scale` gets its argument `x` twice
