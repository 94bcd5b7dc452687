# devices: 2
fn f(x) = pmean(x, "i")
print(pmap(f, axis_name="i", in_axes=none)(1.0))

# error: PM0313 "pmap(f, axis_name="i", in_axes=none)(1.0)"
# message: `pmap` maps no argument and has no axis_size
# help: say how many: axis_size=n
