# options: --check-nans
fn ratio(x, y) = x / y
print(ratio([1.0, inf], [2.0, inf]))

# error: PM0505 "x / y"
# message: `/` makes a NaN at [1]: inf / inf
# help: an infinite number has no quotient and no remainder like this: keep both sides finite
