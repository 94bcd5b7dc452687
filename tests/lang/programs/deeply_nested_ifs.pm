# Twenty-four nested ifs, each with operations before and after the next one, read elements at other indices. On a GPU
# they are one kernel: its threads must synchronise between a write and a read by another thread in all branches.
fn down(x, level) {
    if level == 0 { return x * 2.0 }
    mut y = x
    if y[level % 4] > f32(24 - level) {
        y = down(y[::-1] + 0.25, level - 1)
        y = y[::-1] - 0.125 * f32(level)
    } else {
        y = y - 1.0
    }
    y
}
let deep = jit(fn(x) = down(x, 24))
let in_loop = jit(fn(x) {
    mut y = x
    for i in 0..3 { y = down(y, 24) + f32(4 * i) }
    y
})
for start in [0.0, 6.0, 15.0, 20.0, 100.0] {
    let x = start + arange(4.0)
    print(deep(x), in_loop(x))
}
# expect: [-1, 0, 1, 2] [-1.25, -0.25, 0.75, 1.75]
# expect: [-13.5, -12.5, -11.5, -10.5] [-3.5, -2.5, -1.5, -0.5]
# expect: [-17.25, -16.25, -15.25, -14.25] [-7.25, -6.25, -5.25, -4.25]
# expect: [14.5, 16.5, 18.5, 20.5] [-6.75, -4.75, -2.75, -0.75]
# expect: [174.5, 176.5, 178.5, 180.5] [637.5, 645.5, 653.5, 661.5]
