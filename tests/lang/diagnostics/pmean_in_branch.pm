# devices: 2
# The message has the collective that the program calls, pmean, not the psum that computes it; also under grad.
fn f(x) = if x > 0.0 { pmean(x, "i") } else { x }
print(pmap(fn(x) = grad(f)(x), axis_name="i")(arange(2.0)))

# error: PM0320 "pmean(x, "i")"
# message: `pmean` is in a branch that devices may not all take; the program could hang
# second: "x > 0.0"
# caret: all devices of the axis must reach this together
