fn count(x) = (sum(x), len(x) + i32(x[0]))
let f = custom_jvp(count, fn(p, t) = (count(p.0), (sum(t.0), 0)))
print(grad(fn(x) = f(x).0)(ones(3)))

# error: PM0423 "f(x)"
# message: the rule of `count` must give (f32, none) as the tangent of its result, but gives (f32, i32)
