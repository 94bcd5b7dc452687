# options: --check-nans
let x = inf
print(x / inf)

# error: PM0505 "x / inf"
# message: `/` makes a NaN: inf / inf
# help: keep the divisor away from 0, where(y == 0, 1, y), and both sides finite
