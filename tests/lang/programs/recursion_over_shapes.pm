# A recursion whose arguments have a different shape in each call. A number in a condition ends it, whether the number
# is known from the start or not. The branch that is not taken has errors for smaller arrays, which do not count.
fn first(x, depth) = if depth == 0 { x } else { first(x[0], depth - 1) }
fn total(x, depth) {
    if depth == 0 { return x }
    total(x[0], depth - 1) + total(x[-1], depth - 1)
}
fn nest(x, depth) = if depth == 0 { x } else { vmap(fn(row) = nest(row, depth - 1) + sum(row))(x) }
fn mesh(x, depth) = if depth == 0 {
    x
} else {
    pmap(fn(row) = mesh(row, depth - 1) + psum(sum(row), "i"), axis_name="i")(x)
}
fn double(x, times) = if times == 0 { x } else { double(concatenate((x, x)), times - 1) }
fn filled(x, times) = if times == 0 { x } else { filled(concatenate((x, [0.0])), times - 1) }
fn even(x, depth) = if depth == 0 { x } else { odd(x[0], depth - 1) }
fn odd(x, depth) = if depth == 0 { -x } else { even(x[1], depth - 1) }

let x = arange(8.0).reshape(2, 2, 2)
print(first(x, 0).shape, first(x, 1), first(x, 2), first(x, 3))
print(total(x, 2), total(x, 3))
print(nest(x, 2).reshape(8), nest(x, 3).reshape(8))
print(mesh(x, 3).reshape(8))
print(double([1, 2], 2), filled([1.0], 3), even(x, 1), even(x, 2), even(x, 3))
print(grad(fn(x) = sum(mesh(x, 2)))(x).reshape(8))
print(jit(fn(x) = mesh(x, 1))(x).reshape(8))
for depth in 1..3 { print(first(x, depth)) }

# expect: (2, 2, 2) [[0, 1], [2, 3]] [0, 1] 0.0
# expect: [12, 16] 28.0
# expect: [7, 8, 13, 14, 35, 36, 41, 42] [7, 9, 15, 17, 39, 41, 47, 49]
# expect: [35, 36, 41, 42, 63, 64, 69, 70]
# expect: [1, 2, 1, 2, 1, 2, 1, 2] [1, 0, 0, 0] [[-0, -1], [-2, -3]] [2, 3] -2.0
# expect: [13, 13, 13, 13, 13, 13, 13, 13]
# expect: [28, 29, 30, 31, 32, 33, 34, 35]
# expect: [[0, 1], [2, 3]]
# expect: [0, 1]
# devices: 1 2
