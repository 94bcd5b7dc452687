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

# expect: [4, 5, 6, 7] 8 [[4, 6], [8, 10]] [3, 7, 11] (3, 1, 4)
# expect: [[8, 9, 10, 11], [0, 1, 2, 3]] [1, 6] [[3, 3], [7, 7], [11, 11]]
# expect: [1, 2, 3] [] [8, 4, 0]
# expect: [1, 2] [3, 4]
# expect: [[9, 9, 9, 9], [4, 5, 6, 7], [8, 9, 10, 11]] [[0, 1, 2, 3], [4, 105, 6, 7], [8, 9, 10, 11]]
# expect: [4, 0, 2] [0, 4, 0]
# expect: {a: [0.0, 2.5], n: 4}
