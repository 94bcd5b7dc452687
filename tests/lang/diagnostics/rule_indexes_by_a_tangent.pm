fn third(x) = custom_jvp(fn(x) = x / 3, fn(p, t) = (p.0 / 3, ([0.0, 0.0, 0.0] with [i32(t.0)] = t.0 / 3)[0]))(x)
print(jvp(third, (3.0,), (0.5,)))
print(grad(third)(3.0))

# expect: (1.0, 0.16666667)
# error: PM0431 "([0.0, 0.0, 0.0] with [i32(t.0)] = t.0 / 3)"
# message: reverse mode cannot transpose the rule of `fn`: an index depends on a tangent
