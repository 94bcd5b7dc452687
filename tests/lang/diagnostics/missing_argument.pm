fn scale(x, factor, shift=0) = factor * x + shift
print(scale(3, shift=1))

# error: PM0106 "scale(3, shift=1)"
# message: `scale` needs its argument `factor`
# second: "fn scale(x, factor, shift=0)"
