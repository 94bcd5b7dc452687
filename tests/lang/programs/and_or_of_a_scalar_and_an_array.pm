# `and` and `or` of a computed scalar and an array are elementwise, as for arrays; the right operand runs only if needed.
fn both(x) = where(sum(x) > 0 and x > 1.0, x, 0.0)
fn either(x) = where(sum(x) > 4 or x > 1.0, x, 0.0)
for x in ([0.5, 2.0], [0.5, -2.0], [0.5, 5.0]) { print(both(x), either(x), vmap(both)([x, 2 * x]), jit(either)(x)) }
print(grad(fn(x) = sum(both(x) ** 2))([0.5, 2.0]), grad(fn(x) = sum(either(x) ** 2))([0.5, 5.0]))
fn guarded(n, x) = n > 0 and x[n - 1] > 0 or n < 0
print(vmap(guarded, in_axes=(0, none))([0, 1, 2, -1], [1.0, -1.0]))

# expect: [0, 2] [0, 2] [[0, 2], [0, 4]] [0, 2]
# expect: [0, 0] [0, 0] [[0, 0], [0, 0]] [0, 0]
# expect: [0, 5] [0.5, 5.0] [[0, 5], [0, 10]] [0.5, 5.0]
# expect: [0, 4] [1, 10]
# expect: [false, true, false, true]
