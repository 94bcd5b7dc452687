# options: --check-nans
fn ratio(x, y) = x / y
print(ratio([1.0, inf], [2.0, inf]))

# error: PM0505 "x / y"
# message: `/` makes a NaN at [1]: inf / inf
# help: keep the divisor away from 0, where(y == 0, 1, y), and both sides finite
