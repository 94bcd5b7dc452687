# devices: 2
fn f(x) = x * 2
print(pmap(f, out_axes=none)(arange(2.0)))

# error: PM0315 "pmap(f, out_axes=none)(arange(2.0))"
# message: output 0 is declared the same on every device, but it differs per device
# second: "x * 2" depends on an argument that is split; nothing combines it afterwards
# help: name the axis and combine over it: pmap(..., axis_name="i"), and pmean(..., "i") in the function
# help: or keep one per device: out_axes=0 for it
