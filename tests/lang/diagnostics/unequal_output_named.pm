# devices: 2
fn f(x) = x * 2
print(pmap(f, axis_name="batch", out_axes=none)(arange(2.0)))

# error: PM0315
# second: "x * 2" depends on a value that is split over axis `batch`; nothing combines it afterwards
# help: combine it: pmean(..., "batch")
