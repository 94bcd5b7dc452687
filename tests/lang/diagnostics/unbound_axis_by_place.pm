# As unbound_axis_outside.pm: the name is a positional option, from a pattern. Names of other functions do not count.
# devices: 2
fn scale(x) = x / psum(x, "i")
let (columns, rows) = ("j", "i")
fn of_another() {
    let rows = "k"
    rows
}
fn by_columns(x) = vmap(scale, 0, 0, columns)(x)
fn by_rows(x) = vmap(scale, 0, 0, rows)(x)
print(scale(3.0))

# error: PM0301 ""i""
# caret: no pmap or vmap around names this axis
# second: "scale(3.0)" this call is outside of every pmap and vmap
# second: "vmap(scale, 0, 0, rows)" names the axis, for what it calls
