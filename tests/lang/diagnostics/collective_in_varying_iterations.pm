# The message names lines of the function itself, although it runs in a call, a derivative and an outer vmap.
# devices: 2
fn summed(t) = psum(t, "i")
fn f(x) = grad(fn(t) = fori_loop(0, i32(x), fn(k, c) = c + summed(c), t))(x)
print(vmap(pmap(f, axis_name="i"))(ones((2, 2))))

# error: PM0320 "psum(t, "i")"
# caret: all devices of the axis must reach this together
