# The error of a rule with other parameters shows how it is called.
let f = custom_jvp(fn(x) = x * x, fn(primals) = primals)
print(f(3.0))
let g = custom_vjp(fn(x) = x * x, fn(x) = (x * x, x), fn(residuals) = (residuals,))
print(attempt(grad(g), 2.0).error.help)
let two = custom_vjp(fn(x, y) = x * y, fn(x) = (x * x, x), fn(residuals, g) = (g, g))
print(attempt(grad(two), 2.0, 1.0).error.help)
# a wrong call within the rule is reported as any other
let inner = custom_jvp(fn(x) = x * x, fn(primals, tangents) = (primals.0, sqrt(tangents.0, 1, 2)))
print(attempt(grad(inner), 2.0).error.help)
grad(f)(2.0)

# expect: 9.0
# expect: ("it is called as bwd(residuals, cotangent)",)
# expect: ("it is called as fwd(*arguments)",)
# expect: ("leave out the arguments after argument 1",)
# error: PM0103 "grad(f)(2.0)"
# message: `fn` takes 1 argument, got 2
# second: "fn(primals)" defined here
# help: it is called as rule(primals, tangents)
