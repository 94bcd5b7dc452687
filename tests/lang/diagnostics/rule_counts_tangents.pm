let rounded = custom_jvp(fn(x) = x, fn(p, t) = (p.0, p.0 * f32(i32(t.0))))
print(jvp(rounded, (3.0,), (1.5,)))
print(grad(rounded)(3.0))

# expect: (3.0, 3.0)
# error: PM0431 "f32(i32(t.0))"
# message: reverse mode cannot transpose the rule of `fn`: `astype` is not linear in a tangent
