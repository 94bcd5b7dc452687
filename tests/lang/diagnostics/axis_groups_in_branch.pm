# devices: 2
fn f(x) = if x > 0.0 { psum(x, "i", axis_index_groups=((0,), (1,))) } else { x }
print(pmap(f, axis_name="i")([1.0, -1.0]))
# error: PM0320 "psum(x, "i", axis_index_groups=((0,), (1,)))"
# message: `psum` is in a branch that devices may not all take; the program could hang
# caret: all devices of the axis must reach this together
