# options: --check-nans
let x = 0.0
print(x / 0)

# error: PM0505 "x / 0"
# message: `/` makes a NaN: 0.0 / 0
# help: keep the divisor away from 0, where(y == 0, 1, y), and both sides finite
