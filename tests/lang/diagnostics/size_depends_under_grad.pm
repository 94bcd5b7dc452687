# Under a transformation, a size that depends on values is unknown; the message has the way to specify it.
fn f(x, counts) = sum(repeat(x, counts))
print(jit(f)([1.0, 2.0], [1, 2]))
print(grad(f)([1.0, 2.0], [1, 2]))
# expect: 5.0
# error: PM0120 "repeat(x, counts)"
# message: `grad` cannot go through this function: the size of what `repeat` gives depends on values; say it: repeat(..., total_repeat_length=n)
# second: "grad(f)([1.0, 2.0], [1, 2])"
