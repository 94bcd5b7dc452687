# devices: 2
print(pmap(fn(x) = {u: x, v: (x, psum(x, "i"))}, axis_name="i", out_axes={u: 0, v: none})(arange(2.0)))

# error: PM0315
# message: output `.v.0` is declared the same on every device, but it differs per device
# second: "arange(2.0)" is split, and comes back as it is
# help: combine it: pmean(..., "i")
