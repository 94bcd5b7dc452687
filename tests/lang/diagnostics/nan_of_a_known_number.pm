# options: --check-nans
print(log(-1.0))

# error: PM0505 "log(-1.0)"
# message: `log` makes a NaN: log(-1.0)
