# Derivatives at zeros, ties, NaN and infinities are JAX's, except for pmax and repeated indices, for which JAX has none.
# devices: 2
fn at_edges(f) = (grad(f)(nan), grad(f)(inf), grad(f)(-inf), grad(f)(0.0))

# x ** y: the derivative with respect to x is 0 for y = 0, but the derivative of it with respect to y is not. Integer exponents 0 add 0.
print(hessian(fn(p) = p[0] ** p[1])([2.0, 0.0]), hessian(fn(p) = p[0] ** p[1])([0.0, 2.0]))
print(grad(fn(y) = grad(fn(x) = x ** y)(2.0))(0.0), grad(grad(fn(w) = (2 + w) ** w, holomorphic=true), holomorphic=true)(0j))
print(grad(fn(x) = sum(x ** arange(3)))(0.0), grad(fn(x) = sum(x ** arange(3)))(nan), grad(fn(x) = x ** i64(0))(0.0))
# expect: [[0.0, 0.5], [0.5, 0.480453]] [[2, 0], [0, 0]]
# expect: 0.5 1.480453+0j
# expect: 1.0 nan 0.0

# Products of updates to one element: some factors are zero, and some partial products overflow.
print(hessian(fn(u) = segment_prod(u, [0, 0], 1)[0])([0.0, 5.0]), hessian(fn(u) = ([2.0, 3.0] with [[0, 0]] *= u)[0])([0.0, 0.0]))
print(grad(grad(fn(z) = ([2.0 + 0j, 3.0] with [[0, 0]] *= stack((z, 3 * z)))[0], holomorphic=true), holomorphic=true)(0j))
print(grad(fn(u) = sum([1e-30] with [[0, 0]] *= u))([1e30, 1e30]))
fn of_rows(u) = sum(segment_prod(u, [1, 0, 1, 5, 1], 2) * [[1.0, 2.0], [3.0, 4.0]])
let rows = [[2.0, 0.0], [3.0, 5.0], [0.0, 4.0], [6.0, 7.0], [8.0, 9.0]]
print(grad(of_rows)(rows), vmap(grad(of_rows))(stack((rows, ones((5, 2)))))[1])
print(jacfwd(jacrev(jacfwd(fn(u) = segment_prod(u, [0, 0, 0], 1)[0])))(zeros(3))[0])
# expect: [[0, 1], [1, 0]] [[0, 2], [2, 0]]
# expect: 12+0j
# expect: [1, 1]
# expect: [[0, 144], [1, 2], [48, 0], [0, 0], [0, 0]] [[3, 4], [1, 2], [3, 4], [0, 0], [3, 4]]
# expect: [[0, 0, 0], [0, 0, 1], [0, 1, 0]]

# Factors in a branch that is not taken have no derivative.
print(grad(fn(x) = sum(where(x > 0, x with [[0, 1]] *= stop_gradient(1 / x), 0.0)))([0.0, 1.0]))
print(grad(fn(x) = sum(where(x > 0, 2 * x with [[0, 1]] *= 1 / x, 0.0)))([0.0, 4.0]))
# expect: [0, 1]
# expect: [0, 0]

# hypot: smooth but at 0.
let far = fn(p) = hypot(p[0], p[1])
print("{hessian(far)([3.0, 3.0]):.5f} {grad(far)([3e30, -4e30]):.5f}", grad(far)([0.0, 0.0]), grad(far)([nan, 1.0]), grad(far)([inf, 1.0]))
# expect: [[0.11785, -0.11785], [-0.11785, 0.11785]] [0.60000, -0.80000] [0.5, 0.5] [nan, nan] [1, 0]

# Extrema: along an axis a NaN makes all derivatives NaN; for two operands and for updates the NaN's derivative is 0.
print(grad(max)([1.0, nan]), grad(min)([nan, 1.0, 2.0]), jvp(max, ([1.0, nan],), ([1.0, 1.0],)), grad(max)([1.0, 3.0, 3.0]))
print(grad(fn(x) = sum(max(x, axis=1)))([[1.0, nan], [2.0, 2.0]]), grad(fn(x) = max(x))([-inf, -inf]))
print([grad(fn(x) = cummax(x)[i])([1.0, 1.0, nan]) for i in (0, 1, 2)], grad(fn(x) = cummin(x)[1])([nan, 1.0]))
print(grad(fn(x) = segment_max(x, [0, 0], 1)[0])([1.0, nan]), jvp(fn(x) = segment_max(x, [0, 0], 1)[0], ([1.0, nan],), ([1.0, 1.0],)), grad(maximum, argnums=(0, 1))(1.0, nan))
fn greatest(map) = grad(fn(x) = sum(map(fn(v) = pmax(v, "i"), axis_name="i")(x)))
print(greatest(vmap)([1.0, nan]), greatest(pmap)([1.0, nan]), greatest(vmap)([3.0, 3.0]), greatest(pmap)([3.0, 3.0]))
# expect: [nan, nan] [nan, nan, nan] (nan, nan) [0.0, 0.5, 0.5]
# expect: [[nan, nan], [0.5, 0.5]] [0.5, 0.5]
# expect: [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 0.0]] [0, 0]
# expect: [0, 0] (nan, 0.0) (0.0, 0.0)
# expect: [nan, nan] [nan, nan] [1, 1] [1, 1]

# fmax and fmin of equal operands have a derivative with respect to the second operand only.
print(grad(fmax, argnums=(0, 1))(0.0, 0.0), grad(fmin, argnums=(0, 1))(0.0, 0.0), grad(fn(x) = fmax(x, 0.0))(0.0))
print(grad(fmax, argnums=(0, 1))(nan, 1.0), grad(fmin, argnums=(0, 1))(1.0, nan), grad(fmax, argnums=(0, 1))(2.0, 1.0), fmax([1, 5], [3, 2]))
# expect: (0.0, 1.0) (0.0, 1.0) 0.0
# expect: (0.0, 1.0) (1.0, 0.0) (1.0, 0.0) [3, 5]

# logaddexp, and functions composed of it.
let both = grad(logaddexp, argnums=(0, 1))
print(both(-inf, -inf), both(inf, inf), both(nan, 1.0), both(1.0, nan), both(-inf, 1.0), both(3.0, 3.0), logaddexp(f32(-inf), f32(-inf)))
print(grad(fn(x) = sum(cumlogsumexp(x)))([-inf, -inf, 3.0]), hessian(fn(p) = logaddexp(p[0], p[1]))([1.0, 1.0]))
print(at_edges(nn.softplus), at_edges(fn(x) = 1 + nn.log_sigmoid(x)), at_edges(nn.celu))
# expect: (nan, nan) (1.0, 1.0) (nan, nan) (nan, nan) (0.0, 1.0) (0.5, 0.5) -inf
# expect: [nan, nan, 1.0] [[0.25, -0.25], [-0.25, 0.25]]
# expect: (nan, 1.0, 0.0, 0.5) (nan, -0.0, 1.0, 0.5) (nan, 1.0, 0.0, 1.0)

# sinc has derivatives of every order at 0.
let fourth = grad(grad(grad(grad(sinc))))
print(grad(sinc)(0.0), grad(grad(sinc))(0.0), fourth(0.0), grad(fourth)(0.0), grad(grad(fourth))(0.0), grad(sinc)(nan), grad(sinc)(0.5), vmap(grad(grad(sinc)))([0.0, 1.0]))
# expect: 0.0 -3.2898684 19.481821 0.0 -137.34135 nan -1.2732396 [-3.2898684, 2.0000002]
