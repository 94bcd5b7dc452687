# devices: 2 4
# tiled: each device gets one block; 8 rows in blocks of 4 or 2. The results are concatenated.
fn f(x) = x - mean(x)
let x = arange(16.0).reshape(8, 2)
print(pmap(f, tiled=true, axis_size=2)(x))
print(pmap(fn(b) = b.sum(axis=0), axis_name="i", out_axes=0)(x.reshape(2, 4, 2)))

# expect: [[-3.5, -2.5], [-1.5, -0.5], [0.5, 1.5], [2.5, 3.5], [-3.5, -2.5], [-1.5, -0.5], [0.5, 1.5], [2.5, 3.5]]
# expect: [[12, 16], [44, 48]]
