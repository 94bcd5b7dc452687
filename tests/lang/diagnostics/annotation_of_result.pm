fn grown(x: f32[n]) -> f32[n+1] {
    let y = x * 2.0
    y + 1.0
}
print(grown(ones(3)))

# error: PM0276 "y + 1.0"
# message: the value is annotated f32[n+1], got f32[3]
# second: "f32[n+1]" annotated here
# note: sizes here: n = 3
