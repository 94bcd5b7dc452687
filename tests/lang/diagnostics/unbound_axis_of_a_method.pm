# As unbound_axis_outside.pm, for the method form; the name is a variable of the surrounding function.
# devices: 2
fn scale(x) = x / psum(x, axis_name="i")
fn mapped(x) {
    let rows = "i"
    scale.pmap(rows)(x)
}
print(scale(3.0))

# error: PM0301 ""i""
# caret: no pmap or vmap around names this axis
# second: "scale(3.0)" this call is outside of every pmap and vmap
# second: "scale.pmap(rows)" names the axis, for what it calls
