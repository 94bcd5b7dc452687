# options: --flush-subnormals
# configs: compiled evaluate mixed-3
# devices: 1 3
# With --flush-subnormals the operations of a processor replace subnormal numbers by 0, on all its threads.
fn halved(x) = x * f32(0.5)
let least = 1.1754944e-38
print(halved(full(3, least)), halved([2 * least, 1.0]))
let many = full((1000, 1000), least)
print(max(halved(many)), sum(halved(many) > 0))
print(pmap(halved)(full(3, least)))
fn damped(x, n) {
    mut x = x
    for _ in 0..n { x = 0.5 * x }
    x
}
print(damped([1.0], 149))

# expect: [0, 0, 0] [1.1754944e-38, 0.5]
# expect: 0.0 0
# expect: [0, 0, 0]
# expect: [0]
