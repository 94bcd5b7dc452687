# `select` has `y` with one condition, `default` with several; both are an error. One condition is not several.
# session: yes
select([true, false], [1, 2], 0, default=4)
select(true, 3, default=4)
select((true, false), 3)
select([false, true, true], [1.0, -1.0, -0.05], -0.01)
select([[true, false], [false, true]], [[1, 2], [3, 4]], [0, 0])
block([[eye(2), ones((2, 2))], [zeros((2, 2)), eye(2)]])

# error: PM0103 "4"
# message: `select` takes `y` or `default`, got both
# help: one condition: select(c, x, y); several: select((c, ...), (x, ...), default=y)
# error: PM0111 "true"
# message: `select` needs several conditions here, a tuple or the rows of an array, got bool
# help: of one condition: select(c, x, y)
# error: PM0111 "3"
# message: `select` needs as many values as conditions, got an integer
# error: PM0111 "-0.01"
# message: `select` of arrays needs two values of one shape, got f32[3] and a float
# help: one condition for each element: where(c, x, y)
# help: several conditions: select((c, d), (x, y), default=z)
# error: PM0111 "[0, 0]"
# message: `select` of arrays needs two values of one shape, got i32[2, 2] and i32[2]
# error: PM0504 "block([[eye(2), ones((2, 2))], [zeros((2, 2)), eye(2)]])"
# message: `block` takes tuples of arrays, block(((a, b), (c, d))): a list of equal arrays is one array, here f32[2, 2, 2, 2]
