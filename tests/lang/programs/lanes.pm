# devices: 1 2 4 8
# Collectives over a mapped axis have the same results on any number of devices: eight slices on 1, 2, 4 or 8.
fn f(x) = (psum(x, "i"), pmean(x, "i"), pmax(x, "i"), pmin(x, "i"), axis_index("i"), axis_size("i"))
let x = arange(8.0)
print(pmap(f, axis_name="i")(x))
print(pmap(fn(x) = all_gather(x, "i"), axis_name="i", out_axes=none)(x))
print(vmap(f, axis_name="i")(x)[0] == pmap(f, axis_name="i")(x)[0])
print(grad(fn(x) = sum(pmap(fn(v) = v * psum(v, "i"), axis_name="i")(x)))(x))
print(pmap(fn(x) = grad(fn(v) = v * v)(x) + pmean(x, "i"), axis_name="i")(x))
print(pmap(fn(x) = ppermute(x, "i", ((0, 1), (1, 2), (7, 0))), axis_name="i")(x))

# expect: ([28, 28, 28, 28, 28, 28, 28, 28], [3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5], [7, 7, 7, 7, 7, 7, 7, 7], [0, 0, 0, 0, 0, 0, 0, 0], [0, 1, 2, 3, 4, 5, 6, 7], [8, 8, 8, 8, 8, 8, 8, 8])
# expect: [0, 1, 2, 3, 4, 5, 6, 7]
# expect: [true, true, true, true, true, true, true, true]
# expect: [56, 56, 56, 56, 56, 56, 56, 56]
# expect: [3.5, 5.5, 7.5, 9.5, 11.5, 13.5, 15.5, 17.5]
# expect: [7, 0, 1, 0, 0, 0, 0, 0]
