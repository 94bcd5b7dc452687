# options: --check-nans
let x = f16([60000, 1])
let y = x * 2
print(y - y)

# error: PM0505 "y - y"
# message: `-` makes a NaN at [0]: inf - inf
