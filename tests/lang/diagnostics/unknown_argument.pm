fn f(x, scale=2) = x * scale
print(f(1, scal=3))

# error: PM0104 "scal"
# message: `f` has no argument named `scal`
# help: did you mean `scale`?
