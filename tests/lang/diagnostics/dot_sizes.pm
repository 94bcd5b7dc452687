# The message has the sizes that annotations name, and a value that fits.
fn layer(x: f32[n, d], w1: f32[d, hidden], w2: f32[hidden, 10]) {
    let h = dot(x, w2)
    h
}
print(layer(ones((32, 784)), ones((784, 128)), ones((128, 10))))

# error: PM0278 "dot(x, w2)"
# message: `dot` needs equal inner sizes, got 784 and 128
# second: "x" f32[32, 784], inner size 784
# second: "w2" f32[128, 10], inner size 128
# note: sizes here: d = 784, hidden = 128, n = 32
# help: `w1: f32[784, 128]` is in scope and fits: dot(x, w1)
