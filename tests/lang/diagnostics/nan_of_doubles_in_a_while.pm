# options: --check-nans
fn f(x) {
    mut y = x
    while y < 1e300 or y == inf { y = y * y - y * 2 }
    y
}
print(f(f64(1e200)))

# error: PM0505 "y * y - y * 2"
# message: `-` makes a NaN: inf - inf
