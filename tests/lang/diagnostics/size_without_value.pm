fn f(x: f32[m - 1]) = x
print(f(ones(3)))

# error: PM0101 "m"
# message: unknown name `m`
# note: a size gets its value where it is alone: f32[m]
