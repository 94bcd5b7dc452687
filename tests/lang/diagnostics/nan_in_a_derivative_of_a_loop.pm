# options: --check-nans
fn f(x) {
    mut y = x
    for i in 0..3 { y = y * sqrt(x) }
    y
}
print(grad(f)(0.0))

# error: PM0505 "x"
# message: `*` in the derivative of this makes a NaN: 0.0 * inf
# note: through `grad(f)`
# help: where the slope has no value, keep what the function is given away from there, inside of it: sqrt(where(x > 0, x, 1))
