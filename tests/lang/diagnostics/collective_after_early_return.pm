# devices: 2
fn f(x) {
    if x > 0.0 { return x }
    psum(x, "i")
}
print(pmap(f, axis_name="i")(arange(2.0)))

# error: PM0320 "psum(x, "i")"
# caret: all devices of the axis must reach this together
# second: "if x > 0.0 { return x }" differs per device
