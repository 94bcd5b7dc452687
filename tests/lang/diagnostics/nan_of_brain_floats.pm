# options: --check-nans
print(bf16([0, 1]) / bf16([0, 1]))

# error: PM0505 "bf16([0, 1]) / bf16([0, 1])"
# message: `/` makes a NaN at [0]: 0.0 / 0.0
# help: keep the divisor away from 0, where(y == 0, 1, y), and both sides finite
