fn f(n, x: f32[2 * n]) = n
print(f(5, ones(3)))

# error: PM0018 "n"
# message: `n` is bound twice
# second: "n"
# note: a size in an annotation is a name of its own
# help: give the size another name
