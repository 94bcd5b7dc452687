let total = 0
for i in 0..3 { total += i }
print(total)

# error: PM0108 "total"
# message: `total` cannot be assigned: it is not declared with `mut`
# second: "total"
# help: mut total = ...
