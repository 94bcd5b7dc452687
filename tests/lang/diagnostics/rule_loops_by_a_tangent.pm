## sqrt with a rule that computes the tangent in a loop.
fn root(a) = custom_jvp(sqrt, fn(p, t) {
    let ((a,), (d,)) = (p, t)
    mut x = 0.0
    while isfinite(d) and abs(2 * sqrt(a) * x - d) > 1e-6 { x += d / (2 * sqrt(a)) - x }
    (sqrt(a), x)
})(a)
print(jvp(root, (4.0,), (1.0,)))
print(vmap(grad(root))([4.0, 9.0]))

# expect: (2.0, 0.25)
# error: PM0431 "isfinite(d) and abs(2 * sqrt(a) * x - d) > 1e-6"
# message: reverse mode cannot transpose the rule of `sqrt`: the condition of this loop depends on a tangent
