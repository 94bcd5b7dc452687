# Derivatives of any order, also of functions with control flow, in compositions of the modes.
fn f(x) = x ** 3
print(grad(f)(2.0), grad(grad(f))(2.0), grad(grad(grad(f)))(2.0))
print(value_and_grad(f)(3.0), jvp(f, (2.0,), (1.0,)))
fn g(p, x) = sum((x @ p.w + p.b) ** 2)
print(grad(g)({w: ones(3), b: 0.5}, arange(6.0).reshape(2, 3)))
print("{vmap(grad(fn(x) = tanh(x)))(array([-1.0, 0.0, 1.0])):.5f}")
fn fifth(x) {
    mut y = 1.0
    for _ in 0..5 { y = y * x }
    y
}
print(grad(fifth)(2.0), grad(grad(fifth))(2.0))
fn piecewise(x) = if x > 0.0 { x * x } else { -x }
print(grad(piecewise)(3.0), grad(piecewise)(-3.0))
let (y, pull) = vjp(fn(a, b) = a * b, 3.0, 4.0)
print(y, pull(1.0))
print(grad(fn(x) = where(x > 0, sqrt(x), 0.0))(0.0), jacfwd(fn(x) = x * x)([1.0, 2.0]), hessian(fn(x) = sum(x ** 3))([1.0, 2.0]))
print(grad(fn(x, y) = x * y, argnums=(0, 1))(2.0, 5.0))

# expect: 12.0 12.0 6.0
# expect: (27.0, 27.0) (8.0, 12.0)
# expect: {w: [75, 107, 139], b: 32.0}
# expect: [0.41997, 1.00000, 0.41997]
# expect: 80.0 160.0
# expect: 6.0 -1.0
# expect: 12.0 (4.0, 3.0)
# expect: 0.0 [[2, 0], [0, 4]] [[6, 0], [0, 12]]
# expect: (5.0, 2.0)
