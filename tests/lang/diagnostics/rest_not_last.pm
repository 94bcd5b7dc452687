fn f(*xs, y) = y
print(f(1, 2))

# configs: compiled
# error: PM0023 "*xs"
# message: `*xs` must be the last parameter
