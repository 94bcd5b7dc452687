# options: --check-nans
# `flip` moves elements before `where` selects them: only at the end it is known whether a NaN derivative is selected.
fn f(x) = sum(where([true, false], flip(sqrt(x * x)), 0.0))
print(jvp(f, ([0.0, 1.0],), ([1.0, 1.0],)))
print(jvp(f, ([1.0, 0.0],), ([1.0, 1.0],)))

# expect: (1.0, 1.0)
# error: PM0505 "sum(where([true, false], flip(sqrt(x * x)), 0.0))"
# message: the derivative has a NaN, of values without one
# help: where the slope has no value, keep what the function is given away from there, inside of it: sqrt(where(x > 0, x, 1))
