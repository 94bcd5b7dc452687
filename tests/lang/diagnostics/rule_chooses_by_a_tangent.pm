let half = custom_jvp(fn(x) = x / 2, fn(p, t) = (p.0 / 2, where(t.0 > 0, t.0 / 2, 0)))
print(grad(half)(3.0))

# error: PM0431 "t.0 > 0"
# message: reverse mode cannot transpose the rule of `fn`: the condition of this `where` depends on a tangent
