# options: --check-nans
print(cumsum([1.0, inf, -inf, nan]))

# error: PM0505 "cumsum([1.0, inf, -inf, nan])"
# message: `cumsum` makes a NaN at [2], of values without one
