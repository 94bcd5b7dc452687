# A pmap returns one value several times, and each copy is joined along a different axis.
# devices: 1 2 4
let x = arange(8.0).reshape(4, 2)
print(pmap(fn(r) { let v = r * 2; (v, v) }, out_axes=(1, 0))(x))
print(pmap(fn(a) { let s = psum(a, "i"); (s, s) }, axis_name="i", out_axes=(none, 0))(x))
print(pmap(fn(a) { let s = psum(a, "i"); {a: s, b: s, c: s} }, axis_name="i", out_axes={a: 0, b: none, c: 0})(x))
print(pmap(fn(a) = (a, a), out_axes=(0, 1))(x))
print(pmap(fn(a) = (a, a), tiled=true, out_axes=(0, 1))(x[:, :1]).1.shape)

# expect: ([[0, 4, 8, 12], [2, 6, 10, 14]], [[0, 2], [4, 6], [8, 10], [12, 14]])
# expect: ([12, 16], [[12, 16], [12, 16], [12, 16], [12, 16]])
# expect: {a: [[12, 16], [12, 16], [12, 16], [12, 16]], b: [12, 16], c: [[12, 16], [12, 16], [12, 16], [12, 16]]}
# expect: ([[0, 1], [2, 3], [4, 5], [6, 7]], [[0, 2, 4, 6], [1, 3, 5, 7]])
# expect@1: (4, 1)
# expect@2: (2, 2)
# expect@4: (1, 4)
