# `select` has `y` with one condition, `default` with several; both are an error. One condition is not several.
# session: yes
select([true, false], [1, 2], 0, default=4)
select(true, 3, default=4)
select((true, false), 3)

# error: PM0103 "4"
# message: `select` takes `y` or `default`, got both
# help: one condition: select(c, x, y); several: select((c, ...), (x, ...), default=y)
# error: PM0111 "true"
# message: `select` needs several conditions here, a tuple or the rows of an array, got bool
# help: of one condition: select(c, x, y)
# error: PM0111 "3"
# message: `select` needs as many values as conditions, got an integer
