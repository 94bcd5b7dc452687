fn f(x: f32[len(x)]) = sum(x)
print(f(ones(3)))

# configs: compiled
# error: PM0030 "len(x)"
# message: a size in a type is made of names and integers with + - * // %, not of `len(x)`
