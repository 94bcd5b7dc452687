# devices: 2
fn f(x) = if x > 0.0 { psum(x, "i") } else { x }
print(pmap(f, axis_name="i")(arange(2.0)))

# error: PM0320 "psum(x, "i")"
# message: `psum` is in a branch that devices may not all take; the program could hang
# second: "x > 0.0"
# help: make the condition common to all devices, for example with `pmax` of what it compares
# help: or compute the collective before the branch, and choose with `where`
# caret: all devices of the axis must reach this together
