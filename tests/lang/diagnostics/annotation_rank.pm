let x: f32[2, n] = ones(3)
print(x)

# error: PM0276 "ones(3)"
# message: the value is annotated f32[2, n], got f32[3]
# second: "f32[2, n]" annotated here
# help: give it a value of the annotated type, or annotate f32[3]
