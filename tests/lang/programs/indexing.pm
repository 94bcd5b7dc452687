let x = arange(12).reshape(3, 4)
print(x[1], x[-1, 0], x[1:, ::2], x[..., -1], x[:, none].shape)
print(x[[2, 0]], x[[0, 1], [1, 2]], x[:, [3, 3]])
print(x[0, 1:10], x[5:], x[::-1, 0])
fn window(x, s) = x[s:+2]
print(window(arange(5.0), 1), window(arange(5.0), 3))
print(x with [0, :] = 9, x with [1, 1] += 100)
print(zeros(3) with [[0, 2, 0]] += [1.0, 2.0, 3.0], zeros(3) with [[1, 1]] max= [4.0, 2.0])
mut r = {a: zeros(2), n: 0}
r.a[1] += 2.5
r.n = 4
print(r)
