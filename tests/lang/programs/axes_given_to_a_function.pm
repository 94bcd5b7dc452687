# Axes and devices that are arguments of a function become known if a call in the function needs them.
# devices: 2
fn sums(x, in_axes, out_axes, devices) =
    pmap(fn(r) = cumsum(r), in_axes=in_axes, out_axes=out_axes, devices=devices)(x)
let x = arange(6.0).reshape(2, 3)
print(sums(x, 0, 0, 2), sums(x, 0, 1, 1))
print(jit(fn(a, axis) = vmap(fn(r) = sum(r), in_axes=axis)(a))(x, 1))

# expect: [[0, 1, 3], [3, 7, 12]] [[0, 3], [1, 7], [3, 12]]
# expect: [3, 5, 7]
