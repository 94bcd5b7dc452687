print(jvp(fn(p, y) = p.a * y, ({a: ones(2)}, 2.0), ({a: ones(3)}, 1.0)))

# error: PM0412
# message: `jvp` needs derivatives like the argument: f32[3] against f32[2]
# note: it belongs to argument 0, `p.a`
