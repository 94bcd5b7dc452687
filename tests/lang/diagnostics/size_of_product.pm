# A size that occurs only in a product is unknown; the error is at the annotation, not at the use in the body.
fn half(x: f32[2 * n]) -> f32[n] = x[:n]
print(half(ones(6)))

# error: PM0101 "n"
# message: unknown name `n`
# note: a size gets its value where it is alone: f32[n]
