# options: --check-nans
fn safe_log(x) = where(x > 0, log(x), 0.0)
print(safe_log([1.0, -1.0]))

# error: PM0505 "x"
# message: `log` makes a NaN at [1]: log(-1.0)
# help: `where` around it computes it for all elements: choose the argument inside of it, log(where(ok, x, 1))
