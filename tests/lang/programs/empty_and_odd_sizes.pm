fn f(x) = tanh(x) * 2 + sum(x)
for n in (0, 1, 3, 17, 64, 65) { print(n, "{f(arange(float(n)) / 100)[:2]:.4f}", (zeros((n, 3)) @ ones((3, 2))).shape) }
print(sum(ones((7, 0)) @ ones((0, 5))), zeros((3, 0)), concatenate((zeros(0), ones(1))))

# expect: 0 [] (0, 2)
# expect: 1 [0.0000] (1, 2)
# expect: 3 [0.0300, 0.0500] (3, 2)
# expect: 17 [1.3600, 1.3800] (17, 2)
# expect: 64 [20.1600, 20.1800] (64, 2)
# expect: 65 [20.8000, 20.8200] (65, 2)
# expect: 0.0 [[], [], []] [1]
# A loop without iterations over an array without elements. An index into the array is an error only when it runs.
fn total(x) {
    mut s = 0.0
    for i in 0..x.shape[0] { s += x[i] }
    s
}
print(total(zeros(0)), grad(total)(zeros(0)), vmap(total)(zeros((2, 0))), total(ones(3)))
# expect: 0.0 [] [0, 0] 3.0
