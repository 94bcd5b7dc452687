# devices: 2
fn f(x) = x * 2
print(pmap(f, out_axes=none)(arange(2.0)))

# error: PM0315 "pmap(f, out_axes=none)(arange(2.0))"
# message: output 0 is declared the same on every device, but it differs per device
# second: "x * 2"
# help: combine it: pmean(..., "i")   with pmap(..., axis_name="i")
# help: or keep one per device: out_axes=0 for it
