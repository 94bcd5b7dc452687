# The message of a failure outside of a pmap names no device, although the program has a pmap.
# devices: 4
let sums = jit(fn(x) {
    let y = pmap(fn(a) = a * psum(a, "i"), axis_name="i")(x)
    assert(sum(y) < 10.0, "the sum is {sum(y)}")
    y
})
print(sums(arange(8.0)))

# error: PM0503 "assert(sum(y) < 10.0, "the sum is {sum(y)}")"
# message: the sum is 784.0 (784.0 < 10.0)
# note: through `jit(fn)`
