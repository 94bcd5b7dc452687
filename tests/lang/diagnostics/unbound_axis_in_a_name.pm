# The message shows the pmap that names the axis, also if the name is an element of a tuple in a variable.
# devices: 2
fn scale(x) = x / psum(x, "i")
let rows = "i"
let names = ("j", rows)
let other = pmap(scale, axis_name=names.0)
let mapped = pmap(scale, axis_name=names.1)
print(scale(3.0))

# error: PM0301 ""i""
# caret: no pmap or vmap around names this axis
# second: "scale(3.0)" this call is outside of every pmap and vmap
# second: "pmap(scale, axis_name=names.1)" names the axis, for what it calls
