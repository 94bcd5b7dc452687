# options: --check-nans
let x = inf
print(x / inf)

# error: PM0505 "x / inf"
# message: `/` makes a NaN: inf / inf
# help: an infinite number has no quotient and no remainder like this: keep both sides finite
