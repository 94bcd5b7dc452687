# devices: 2
fn f(x) = pmean(x, "i")
print(pmap(f, axis_name="i", in_axes=none)(1.0))

# error: PM0313 "pmap(f, axis_name="i", in_axes=none)(1.0)"
# message: `pmap` does not know how many slices there are: every argument has `none` in in_axes
# help: say how many: axis_size=2
