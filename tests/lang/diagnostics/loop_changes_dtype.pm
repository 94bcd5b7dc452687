let a = f64([0.5, 0.25])
fn flow(x, n) {
    mut x = x
    for _ in 0..n { x = x + 0.5 * (a * x) }
    x
}
print(flow(ones(2), 2))
print(flow(ones(2), 20).dtype, flow(ones(2, f64), 40).dtype)

# exit: 0
# expect: [1.5625, 1.265625]
# expect: f64 f64
# error: PM0126 "0..n"
# message: this loop is unrolled into 20 iterations: `x` changes its type, from f32[2] to f64[2]
# help: begin with a value of the dtype that each iteration gives, then one copy of the code is enough
