fn rule(primals, tangents) {
    let ((x,), (d,)) = (primals, tangents)
    (x * x, if d > 100.0 { 0.0 } else { 2 * x * d })
}
let square = custom_jvp(fn(x) = x * x, rule)
print(jvp(square, (3.0,), (1.0,)), linearize(square, 3.0)[1](0.5))
print(grad(fn(x) = 2 * square(x))(3.0))

# expect: (9.0, 6.0) 3.0
# error: PM0431 "d > 100.0"
# message: reverse mode cannot transpose the rule of `fn`: the condition of this branch depends on a tangent
