let straight = custom_jvp(round, fn(p, t) = (round(p.0), t.0))
let f = custom_vjp(sin, fn(x) = (sin(x), cos(x)), fn(slope, g) = (straight(g) * slope,))
let (y, pullback) = vjp(f, 0.0)
print(pullback(2.2).0)
print(grad(fn(g) = pullback(g).0)(2.2))

# expect: 2.0
# error: PM0428 "straight(g)"
# message: `round` is differentiated in something that was made outside of the derivative
