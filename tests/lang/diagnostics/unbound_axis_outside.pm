# A function is called under pmap and outside of it: the message shows the call outside of pmap, and the pmap.
# devices: 2
fn scale(x) = x / psum(x, "i")
fn twice(x) = 2 * scale(x)
print(twice(3.0))
print(pmap(scale, axis_name="i")(arange(2.0) + 1))

# error: PM0301 ""i""
# caret: no pmap or vmap around names this axis
# second: "twice(3.0)" this call is outside of every pmap and vmap
# second: "pmap(scale, axis_name="i")" names the axis, for what it calls
# help: name the axis: pmap(..., axis_name="i")
