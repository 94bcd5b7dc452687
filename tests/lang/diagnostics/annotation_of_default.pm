fn f(x: f32[n] = 3.0) = x
print(f())

# error: PM0276 "3.0"
# message: the value is annotated f32[n], got f32
# second: "f32[n]" annotated here
