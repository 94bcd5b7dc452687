# devices: 2
fn f(x) {
    mut y = x
    for k in 0..10 {
        if y > 3.0 { break }
        y += psum(1.0 + y, "i")
    }
    y
}
print(pmap(f, axis_name="i")(arange(2.0)))

# error: PM0320 "psum(1.0 + y, "i")"
# caret: all devices of the axis must reach this together
# second: "if y > 3.0 { break }" differs per device
