print([1.0].item())
# error: PM0101 "item"
# message: unknown name `item`
# help: an array without axes is a number already; x[0] takes one out of others
