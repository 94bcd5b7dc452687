fn f(x: f32[2 * n + 1], y: f32[n]) = n
print(f(ones(8), ones(3)))

# error: PM0276 "ones(8)"
# message: the value is annotated f32[2 * n + 1], got f32[8]
# second: "f32[2 * n + 1]"
# note: sizes here: n = 3
