# options: --check-nans
# devices: 1 2
# Conditions in loops exclude derivatives that are NaN, so --check-nans reports no error.
fn f(x) {
    mut y = x
    while y > 1.5 { y = if y > 2 { y / 2 } else { sqrt(y) } }
    y
}
print(grad(f)(5.0), vmap(grad(f))([5.0, -1.0, 2.0]))
fn g(x) {
    mut s = 0.0
    for i in 0..4 {
        if x[i] > 0 { s = s + log(x[i]) }
        if s > 100 { break }
    }
    s
}
print(grad(g)([1.0, -1.0, 0.0, 2.0]), vmap(grad(g))([[1.0, -1.0, 0.0, 2.0], [0.0, 0, 0, 0]]))
print(jvp(g, ([1.0, -1.0, 0.0, 2.0],), (ones(4),)), hessian(g)([1.0, -1.0, 0.0, 2.0]))
let (y, pull) = vjp(g, [1.0, -1.0, 0.0, 2.0])
print(pull(1.0))
let (z, push) = linearize(g, [1.0, -1.0, 0.0, 2.0])
print(push(ones(4)))
print(pmap(grad(g), axis_name="i")([[1.0, -1.0, 0.0, 2.0], [0.0, 0, 0, 0]]))
print(grad(fn(x) = sum(pmap(g)(x)))([[1.0, -1.0, 0.0, 2.0], [0.0, 0, 0, 0]]))
print(grad(checkpoint(g))([1.0, -1.0, 0.0, 2.0]))
fn nrm(x) = where(sum(x * x) > 0, sqrt(sum(x * x)), 0.0)
print(grad(nrm)([0.0, 0.0]), vmap(grad(nrm))([[0.0, 0.0], [3.0, 4.0]]), jit(grad(nrm))([0.0, 0.0]))

# expect: 0.25 [0.25, 1.0, 0.35355338]
# expect: [1.0, 0.0, 0.0, 0.5] [[1.0, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, 0.0]]
# expect: (0.6931472, 1.5) [[-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, -0.25]]
# expect: ([1.0, 0.0, 0.0, 0.5],)
# expect: 1.5
# expect: [[1.0, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, 0.0]]
# expect: [[1.0, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, 0.0]]
# expect: [1.0, 0.0, 0.0, 0.5]
# expect: [0, 0] [[0.0, 0.0], [0.6, 0.8]] [0, 0]
