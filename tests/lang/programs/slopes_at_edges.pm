# Derivatives at zeros, ties, NaN and infinities: those of JAX, but for pmax and repeated indices, for which it has none.
# devices: 2

# Powers: the slope in the base vanishes where the exponent is 0, its own slope in the exponent does not. Whole exponents of 0 give nothing.
print(hessian(fn(p) = p[0] ** p[1])([2.0, 0.0]), hessian(fn(p) = p[0] ** p[1])([0.0, 2.0]))
print(grad(fn(y) = grad(fn(x) = x ** y)(2.0))(0.0), grad(grad(fn(w) = (2 + w) ** w, holomorphic=true), holomorphic=true)(0j))
print(grad(fn(x) = sum(x ** arange(3)))(0.0), grad(fn(x) = sum(x ** arange(3)))(nan), grad(fn(x) = x ** i64(0))(0.0))
# expect: [[0.0, 0.5], [0.5, 0.480453]] [[2, 0], [0, 0]]
# expect: 0.5 1.480453+0j
# expect: 1.0 nan 0.0
