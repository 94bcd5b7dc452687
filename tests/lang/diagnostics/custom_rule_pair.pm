fn rule(primals, tangents) = tangents.0
let f = custom_jvp(sin, rule)
print(grad(f)(1.0))

# error: PM0421 "grad(f)(1.0)"
# message: the rule of `sin` must give a tuple of two, (result, tangent), but gives f32
# second: "fn rule(primals, tangents)" gives f32
