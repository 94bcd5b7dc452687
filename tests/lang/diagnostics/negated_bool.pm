print(-(2 > 1))

# error: PM0111 "-(2 > 1)"
# message: `-` needs numbers; for bools there is `not`, got bool
