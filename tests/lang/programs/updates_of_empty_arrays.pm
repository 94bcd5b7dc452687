# An update of an element of an array without elements is no error if the code never runs.
fn add(x, i) {
    mut s = x
    for t in 0..len(i) { s = s with [i[t]] += 1 }
    s
}
fn set(x, i) {
    mut s = x
    for t in 0..len(i) { s = s with [i[t], 0] = 1.0 }
    s
}
print(add(zeros(0), zeros(0, dtype=i32)), set(zeros((0, 2)), zeros(0, dtype=i32)).shape)
print(grad(fn(x) = sum(add(x, zeros(0, dtype=i32))))(zeros(0)))
print(vmap(add, in_axes=(0, none))(zeros((2, 0)), zeros(0, dtype=i32)).shape)

# expect: [] (0, 2)
# expect: []
# expect: (2, 0)
