# The derivative of a branch that is not taken does not change the result, even if it is NaN or inf. Tested: a scalar
# condition with every operation; a condition per element with elementwise operations, sums and moves.
let w = ones(2)
let z = zeros(2)
let ids = [1, 0, 1]
fn root(x) = sum(sqrt(x))
fn steps(x) {
    mut y = sqrt(x)
    for i in 0..3 { y = y * sqrt(x) + x }
    sum(y)
}
print(grad(fn(x) = where(sum(x) > 1.0, dot(sqrt(x), w), 0.0))(z))
# expect: [0, 0]
print(grad(fn(x) = sum(where(sum(x) > 1.0, cumsum(sqrt(x)), x)))(z))
# expect: [1, 1]
print(grad(fn(x) = sum(where(sum(x) > 1.0, sqrt(x)[ids], 2 * x[ids])))(z))
# expect: [2, 4]
print(grad(fn(x) = where(sum(x) > 1.0, root(x), sum(3 * x)))(z))
# expect: [3, 3]
print(grad(fn(x) = where(sum(x) > 1.0, steps(x), sum(x)))(z))
# expect: [1, 1]
print(grad(fn(x) = where(sum(x) < 1.0, sum(x ** 2 + x), sum(sort(log(x)))))(z))
# expect: [1, 1]
print(grad(fn(x) = sum(where(sum(x) < 1.0, x, concatenate((log(x)[:1], sqrt(x)[1:])))))(z))
# expect: [1, 1]
print(grad(fn(x) = sum(where(sum(x) > 1.0, pad(sqrt(x), 1)[1:-1], x)))(z))
# expect: [1, 1]

# The cotangents of both branches are added to the cotangents of other uses.
print(grad(fn(x) = root(x + 1) + where(sum(x) > 1.0, root(x), 0.0) + where(sum(x) > 2.0, steps(x), 0.0))(z))
# expect: [0.5, 0.5]
# Nested conditions: an inner condition in the taken branch and one in the branch that is not taken.
print(grad(fn(x) = where(sum(x) > 1.0, where(x[0] > 2.0, root(x), dot(log(x), w)), where(x[0] < 1.0, sum(x), root(x))))(z))
# expect: [1, 1]
# One condition selects several results of one operation.
fn both(x) = (sqrt(x), log(x))
print(grad(fn(x) {
    let (a, b) = both(x)
    let c = sum(x) > 1.0
    sum(where(c, a, x)) + sum(where(c, b, 2 * x))
})(z))
# expect: [3, 3]
# With a condition per element, the elements for which the branch is taken have their ordinary derivatives.
print(grad(fn(x) = sum(where(x > 1.0, sqrt(x), 5 * x)))([0.0, 4.0]))
# expect: [5.0, 0.25]
print(vmap(grad(fn(x) = where(sum(x) > 1.0, dot(sqrt(x), w), 0.0)))([[0.0, 0.0], [4.0, 1.0]]))
# expect: [[0.0, 0.0], [0.25, 0.5]]
print(pmap(grad(fn(x) = where(sum(x) > 1.0, root(x), sum(x))))([[0.0, 0.0], [4.0, 1.0]]))
# expect: [[1.0, 1.0], [0.25, 0.5]]
print(hessian(fn(x) = where(sum(x) > 1.0, root(x), sum(x ** 3)))(z))
# expect: [[0, 0], [0, 0]]
let (value, pullback) = vjp(fn(x) = where(sum(x) > 1.0, root(x), sum(x)), z)
print(value, pullback(2.0))
# expect: 0.0 ([2, 2],)
# The condition differs between devices, and the branch has a sum over devices: each device has its own derivative.
fn shared(x) = where(x > 1.0, psum(sqrt(x + 1), "i"), x)
print(pmap(grad(shared), axis_name="i")([0.0, 3.0]))
# expect: [1.5, 0.25]
# Two conditions between a value and the result, and branches whose derivatives contain conditions.
fn twice(x) {
    let u = sqrt(x)
    where(x > 0, u, 0.0) + where(x > 0, u * u, 0.0)
}
print(grad(twice)(0.0), grad(fn(x) = where(x > 0, maximum(log(x), 1.0), 0.0))(0.0))
# expect: 0.0 0.0
fn nested(x) {
    let u = log(x)
    where(x > 1, u, where(x > 0, u * 2, 0.0))
}
print(vmap(grad(nested))([-1.0, 0.0, 0.5, 2.0]))
# expect: [0.0, 0.0, 4.0, 0.5]
# Conditions per element on the parts of a concatenation and of a roll.
let m = [true, false]
print(grad(fn(x) = sum(where(m, stack((log(x)[0], log(x)[1])), 0.0)))([2.0, 0.0]))
# expect: [0.5, 0.0]
print(grad(fn(x) = sum(where(m, concatenate((log(x)[:1], sqrt(x)[1:])), 0.0)))([2.0, 0.0]))
# expect: [0.5, 0.0]
print(grad(fn(x) = sum(where(m, roll(log(x), 2), 0.0)))([2.0, 0.0]))
# expect: [0.5, 0.0]
print(grad(fn(x) = sum(where(m, log(x)[::2], 0.0)))([2.0, 7.0, 0.0]))
# expect: [0.5, 0.0, 0.0]
# Conditions per element apply separately in called functions and in their branches.
fn element(x) = sqrt(x)
fn element_or(x, c) = if c { element(x) } else { log(x) }
print(grad(fn(x) = sum(where(x > 0, element(x), 0)))([0.0, 4.0]))
# expect: [0.0, 0.25]
print(grad(fn(x) = sum(where(x > 0, element_or(x, sum(x) > 1), 0)))([0.0, 4.0]), grad(fn(x) = sum(where(x > 0, element_or(x, sum(x) > 9), 0)))([0.0, 4.0]))
# expect: [0.0, 0.25] [0.0, 0.25]
print(grad(fn(x) = sum(vmap(fn(x) = if x > 0 { element(x) } else { 0 })(x)))([0.0, 4.0]))
# expect: [0.0, 0.25]

# A value that is computed before an `if` and used in one branch gets a cotangent only if that branch is taken.
fn before(x) {
    let y = sqrt(x)
    let l = log(x)
    if sum(x) > 1.0 { sum(y * 2) } else if sum(x) < -1.0 { sum(l) } else { sum(x) }
}
print(grad(before)(z), grad(before)([4.0, 1.0]), hessian(before)(z))
# expect: [1, 1] [0.5, 1.0] [[0, 0], [0, 0]]
print(vmap(grad(before))([[0.0, 0.0], [4.0, 1.0]]), jit(grad(before))(z))
# expect: [[1.0, 1.0], [0.5, 1.0]] [1, 1]
fn before_loop(x) {
    let y = sqrt(x)
    mut s = sum(x)
    for i in 0..4 { if s > 1.0 { s += y[0] * i } else { s += x[1] } }
    s
}
print(grad(before_loop)([4.0, 1.0]))
# expect: [2.5, 1.0]
fn early(x) {
    let y = sqrt(x)
    if x == 0.0 { return 3 * x }
    y
}
print(grad(early)(0.0), grad(early)(4.0), grad(fn(x) = early(x) + early(2 * x))(0.0))
# expect: 3.0 0.25 9.0
# A value that several branches with the same condition use, also through calls.
fn again(x) {
    let y = sqrt(x)
    (if x > 1.0 { y } else { x }) + (if x > 1.0 { y } else { x })
}
fn side(x, y) = if x > 1.0 { 2 * y } else { x }
fn calls(x) {
    let y = sqrt(x)
    side(x, y) + side(x, y) + (if x > 1.0 { y } else { x })
}
print(grad(again)(0.0), grad(again)(4.0), grad(calls)(0.0), grad(calls)(4.0))
# expect: 2.0 0.5 3.0 1.25
print(vmap(grad(calls))([0.0, 4.0]), grad(checkpoint(calls))(0.0), grad(grad(calls))(0.0))
# expect: [3.0, 1.25] 3.0 0.0

# Several uses under one condition; one use is under another condition too. Each adds 0 where a condition is false.
fn shared(x) {
    let (c, d) = (x > 0, x > 1)
    sum(where(c, log(x), 0) + where(c, where(d, x, 0), 0) + where(c, 3 * x, 0))
}
print(grad(shared)([0.0, 1.0, 4.0]))
# expect: [0.0, 4.0, 4.25]

# An element of a batch that does not take a branch has no pole in it, also if a custom rule gets a zero cotangent.
let tripled = custom_vjp(fn(x) = 3 * x, fn(x) = (3 * x, none), fn(_, g) = (3 * g,))
for root in (sqrt, rsqrt, cbrt, log, fn(v) = log1p(v - 1), fn(v) = 1 / v, fn(v) = v ** 0.5, fn(v) = v ** -2) {
    fn side(x) = if x > 0 { tripled(root(x)) } else { x }
    let slopes = grad(fn(x) = sum(vmap(side)(x)))([0.0, 4.0])
    assert(slopes[0] == 1 and slopes[1] == grad(side)(4.0))
}
for pole in (asin, acos, atanh, acosh, special.erfinv) {
    fn side(x) = if x == 1 { x } else { tripled(pole(x)) }
    let inside = if pole == acosh { 2.0 } else { 0.5 }
    let slopes = grad(fn(x) = sum(vmap(side)(x)))([1.0, inside])
    assert(slopes[0] == 1 and allclose(slopes[1], grad(side)(inside)))
}
for pole in (special.gammaln, special.digamma) {
    fn side(x) = if x > 0 { tripled(pole(x)) } else { x }
    assert(grad(fn(x) = sum(vmap(side)(x)))([0.0, 4.0])[0] == 1)
}
for large in (exp, expm1, sinh, cosh) {
    fn side(x) = if x < 100 { tripled(large(x)) } else { x }
    let slopes = grad(fn(x) = sum(vmap(side)(x)))([1000.0, 2.0])
    assert(slopes[0] == 1 and slopes[1] == grad(side)(2.0))
}
fn remainder_side(y) = if y > 0 { tripled(7 % y) } else { y }
let of_divisors = grad(fn(y) = sum(vmap(remainder_side)(y)))([0.0, 2.0])
assert(of_divisors[0] == 1 and of_divisors[1] == -9)
for (function, pole) in ((sin, 1000j), (cos, 1000j), (exp, 1000 + 0j), (atan, 1j), (asinh, 1j), (log1p, -1 + 0j)) {
    fn side(taken, z) = if taken { tripled(function(z)) } else { z }
    let slopes = grad(fn(z) = sum(real(vmap(side)([false, true], z))))(array([pole, 0.5 + 0.25j]))
    assert(slopes[0] == 1 and allclose(slopes[1], grad(fn(z) = real(tripled(function(z))))(0.5 + 0.25j)))
}
print("no pole")
# expect: no pole
