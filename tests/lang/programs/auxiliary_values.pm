# The auxiliary value of a function (has_aux) is not differentiated; integer arguments have the derivative `none`.
fn f(x) = (x ** 2, {half: x / 2, n: 3})
let x = [1.0, 2.0]
let (y, back, aux) = vjp(f, x, has_aux=true)
print(y, back([1.0, 10.0]), aux)
let (y1, slope, aux1) = linearize(f, x, has_aux=true)
print(y1, slope([1.0, 10.0]), aux1)
print(jvp(f, (x,), ([1.0, 10.0],), has_aux=true))
for jac in (jacfwd, jacrev, jacobian) { print(jac(f, has_aux=true)(x)) }
print(jacfwd(fn(a, b) = (a * b, b), argnums=(0, 1), has_aux=true)(2.0, 3.0))
print(hessian(fn(x) = (sum(x ** 3), x[0]), has_aux=true)(x))
# one value as the result and as the auxiliary value
fn twice(x) { let y = sin(x); (y, y) }
print(vjp(twice, 0.0, has_aux=true)[1](2.0), jit(fn(x) = jvp(twice, (x,), (1.0,), has_aux=true))(0.0))

fn at(x, i) = x[i] * 3.0
print(vjp(at, x, 1)[1](1.0), jvp(at, (x, 1), ([1.0, 5.0], none)))
print(linearize(at, x, 1)[1]([1.0, 5.0], none))
fn tree(p) = p.w * f32(p.step)
print(grad(tree, allow_int=true)({w: 2.0, step: i32(3)}), vjp(tree, {w: 2.0, step: i32(3)})[1](1.0))

# expect: [1, 4] ([2, 40],) {half: [0.5, 1.0], n: 3}
# expect: [1, 4] [2, 40] {half: [0.5, 1.0], n: 3}
# expect: ([1, 4], [2, 40], {half: [0.5, 1.0], n: 3})
# expect: ([[2, 0], [0, 4]], {half: [0.5, 1.0], n: 3})
# expect: ([[2, 0], [0, 4]], {half: [0.5, 1.0], n: 3})
# expect: ([[2, 0], [0, 4]], {half: [0.5, 1.0], n: 3})
# expect: ((3.0, 2.0), 3.0)
# expect: ([[6, 0], [0, 12]], 1.0)
# expect: (2.0,) (0.0, 1.0, 0.0)
# expect: ([0, 3], none) (6.0, 15.0)
# expect: 15.0
# expect: {w: 3.0, step: none} ({w: 3.0, step: none},)
