fn f(x: f32[n]) = sum(x)
print(f(arange(3)))

# error: PM0276 "arange(3)"
# message: the value is annotated f32[n], got i32[3]
# second: "f32[n]"
# help: convert it: f32(x), or annotate i32[3]
