# Results of literals or of existing arrays are known in compiled code, so masks can be indices, and counts sizes.
let x = [1.0, 2.0, 3.0]
let held = [0.5, -1.0, 2.0]
print(grad(fn(x) = sum(x[[true, false, true]] ** 2))(x), vmap(fn(x) = x[[true, false, true]])(ones((2, 3))))
print(jit(fn(x) = x[held > 0])(x), jit(fn(x) = x[:, arange(3) % 2 == 0])(ones((1, 3))))
print(jit(fn(x) = x + nonzero([false, true, true])[0][0])(x), jit(fn(x) = len(unique(held)) * x)(x))
print(grad(fn(x) = sum(compress((true, false, true), x) ** 2))(x), compress((1, 0), x))
print(jacfwd(fn(x) = repeat(x, (1, 0, 2)))(x))
print(vmap(fn(x) { let n = count_nonzero(held > 0)
    zeros(int(n)) + x })([1.0, 2.0]))
mut changing = [true, false, false]
let chosen = fn(x) = x[changing]
print(jit(chosen)(x))
changing = [true, true, false]
print(jit(chosen)(x))
# expect: [2, 0, 6] [[1, 1], [1, 1]]
# expect: [1, 3] [[1, 1]]
# expect: [2, 3, 4] [3, 6, 9]
# expect: [2, 0, 6] [1]
# expect: [[1, 0, 0], [0, 0, 1], [0, 0, 1]]
# expect: [[1, 1], [2, 2]]
# expect: [1]
# expect: [1, 2]
