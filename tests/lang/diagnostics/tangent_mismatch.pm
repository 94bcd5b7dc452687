print(jvp(fn(x) = sum(x ** 2), (ones(3),), (ones(2),)))

# error: PM0412 "jvp(fn(x) = sum(x ** 2), (ones(3),), (ones(2),))"
# message: `jvp` needs derivatives like the argument: f32[2] against f32[3]
