# Loops and branches that contain nests, products, sums of all widths, running sums and updates. Small ones run in one
# block of a GPU, large ones in several blocks that synchronise. The CPU and the GPU must agree in all digits; the
# evaluator is not tested, since its order of additions differs from theirs.
# configs: compiled mixed gpu-emulated gpu

# Nested loops; computations and indices use the loop indices.
fn table(x) {
    mut t = zeros((6, 5))
    for i in 0..6 {
        for j in range(5, 0, -1) { t[i, j - 1] = x[j - 1] * f32(i) + f32(j) + sum(t) / 100.0 }
        t[i, i % 5] = f32(10 * i)
    }
    t
}
print(table(arange(5.0)))

# A branch in a while, and a while in a for; both assign carried values.
fn turns(x) {
    mut (s, n) = (x, 0)
    for i in 0..4 {
        mut k = 0
        while sum(abs(s)) > f32(i + 1) {
            if max(s) > 2.0 {
                s = s * 0.25
            } else {
                s = s - 0.125 * tanh(s)
                n += i
            }
            k += 1
        }
        n = n + k
        s = s + f32(k) / 8.0
    }
    (s, n)
}
print(turns([0.5, 3.0, -2.0]))
print(vmap(turns)([[0.5, 3.0, -2.0], [40.0, 0.0, 1.0]]))
print(grad(fn(x) = sum(turns(x)[0]))([0.5, 3.0, -2.0]))

# Each iteration reads and writes rows, in forward and reverse mode.
fn running(x, w) = scan(
    fn(c, r) {
        let h = tanh(r @ w + 0.5 * c)
        (h, (sum(h), h[:2]))
    },
    zeros(3),
    x,
)
let rows = (arange(21.0) / 10.0).reshape(7, 3)
let w = (arange(9.0) / 9.0).reshape(3, 3)
let (last, (sums, firsts)) = running(rows, w)
print(last)
print(sums)
print(firsts)
print(grad(fn(w) = sum(running(rows, w)[1][0]))(w))
print(jvp(fn(w) = running(rows, w)[0], (w,), (ones((3, 3)),))[1])

# Loops that end before the first iteration and after some iterations.
fn search(x, limit) {
    mut seen = 0.0
    for (i, v) in enumerate(x) {
        if v > limit { return (i, seen) }
        if v < 0.0 { continue }
        seen += v
    }
    (-1, seen)
}
print(search([9.0, 1.0], 5.0), search([1.0, -4.0, 2.0, 7.0, 1.0], 5.0), search([1.0, 2.0], 5.0))
fn never(x) {
    mut (x, n) = (x, 7)
    while sum(x) > 1e9 { (x, n) = (x + 1.0, n + 1) }
    n
}
print(never(ones(300)))

# Reductions by different numbers of threads in one kernel: 16 or 64 accumulators, long rows in blocks, along columns.
fn reductions(x, long) {
    mut (a, b, c, l) = (zeros(x.shape[0]), zeros(x.shape[1]), 0.0, 0.0)
    for i in 0..3 {
        a = a / 2.0 + sum(x * f32(i + 1), axis=1)
        b = b + max(x, axis=0) * sum(a[:10])
        c = c + sum(nn.softmax(b)[:7]) + f32(argmax(a))
        l = l / 3.0 + sum(long * c)
    }
    (sum(a), sum(b), c, l)
}
let wide = sin(arange(9000.0)).reshape(30, 300)
print(reductions(wide, sin(arange(70000.0))))
print(reductions(wide[:, :12], sin(arange(40.0))))

# Products of one tile and of several tiles, with epilogues; running sums and updates in a loop; sorted rows outside.
fn layers(x, w) {
    mut (h, n) = (x, 0)
    while max(abs(h)) > 1e-6 and n < 6 {
        h = tanh(h @ w) * 0.7
        if n % 2 == 1 { h = h - mean(h, axis=0) }
        h[n] = cumsum(h[n + 1]) / 50.0
        h[:, n] = h[:, n + 2] + f32(n)
        n += 1
    }
    (sum(h * h), h[1, 1], n)
}
let square = (cos(arange(130.0 * 130.0)) / 11.0).reshape(130, 130)
print(layers(square[:20, :20], square[:20, :20]))
print(layers(square, square))

# Many elements: several blocks, which synchronise for every sum.
fn settle(x) {
    mut (x, n) = (x, 0)
    while max(abs(x - roll(x, 1))) > 0.75 and n < 40 {
        x = 0.5 * x + 0.25 * (roll(x, 1) + roll(x, -1))
        if n % 4 == 3 { x = x - sum(x) / 12000.0 }
        n += 1
    }
    (n, sum(x), x[5], max(x))
}
print(settle(cos(arange(12000.0) * 2.0) * 9.0))
print(vmap(fn(s) = settle(s * cos(arange(6000.0))))([9.0, 20.0]))
print(sum(grad(fn(x) = settle(x)[1])(cos(arange(5000.0)) * 9.0)))

# Loops on devices: a separate loop for each device, and a common loop with collectives.
fn alone(x) {
    mut (x, n) = (x, 0)
    while sum(x) < 100.0 { (x, n) = (x * 1.5 + 1.0, n + 1) }
    (x, n)
}
print(pmap(alone)([[1.0, 2.0], [30.0, 0.0], [99.0, 99.0]]))
fn together(x) {
    mut x = x
    for i in 0..3 { x = x / 2.0 + psum(x, "i") / 8.0 + f32(i) }
    x
}
print(pmap(together, axis_name="i")([[1.0, 2.0], [30.0, 0.0], [99.0, 99.0]]))
# expect: [[0.0, 2.121405, 3.0905, 4.05, 5.0],
# expect:  [1.393044, 10.0, 5.3063855, 7.234045, 9.142619],
# expect:  [1.8392503, 4.791337, 20.0, 10.608114, 13.47338],
# expect:  [2.4689772, 6.404928, 10.3019085, 30.0, 17.980501],
# expect:  [3.2698236, 8.187944, 13.05737, 17.878584, 40.0],
# expect:  [50.0, 10.127952, 15.968268, 21.750761, 27.476002]]
# expect: ([0.58388627, 1.0305314, 0.1561538], 4)
# expect: ([[0.58388627, 1.0305314, 0.1561538], [1.0, 0.375, 0.390625]], [4, 3])
# expect: [0.16835468, 0.19340722, 0.18033527]
# expect: [0.9853057, 0.9959121, 0.9988534]
# expect: [0.5917047, 1.7934675, 2.5490122, 2.821187, 2.9187589, 2.960424, 2.980071]
# expect: [[0.16514042, 0.19737533],
# expect:  [0.49994805, 0.6035341],
# expect:  [0.7684948, 0.8621774],
# expect:  [0.8958735, 0.94993246],
# expect:  [0.9482976, 0.9790852],
# expect:  [0.9727366, 0.99081826],
# expect:  [0.9853057, 0.9959121]]
# expect: [[0.9924118, 0.5601264, 0.34441665], [1.3110372, 0.80677396, 0.5461041], [1.6296624, 1.0534215, 0.7477915]]
# expect: [0.17021745, 0.046871305, 0.013098544]
# expect: (0, 0.0) (3, 3.0) (-1, 3.0)
# expect: 7
# expect: (5.647795, 3846.1636, 36.06959, 36.686913)
# expect: (3.1117754, 73.20708, 85.73672, 124.496124)
# expect: (499.9952, 0.0007350296, 6)
# expect: (3250.035, 0.00017414987, 6)
# expect: (4, 8.2096085e-06, -0.05505692, 0.9723458)
# expect: ([10, 14], [-0.7728992, -0.858561], [0.16738719, 0.025756355], [0.6610832, 0.51752955])
# expect: 1701.3895
# expect: ([[49.257812, 66.34375], [106.0, 4.75], [99.0, 99.0]], [7, 3, 0])
# expect: [[26.613281, 21.470703], [30.238281, 21.220703], [38.86328, 33.595703]]
