# With three arguments `select` is lax.select, which chooses elementwise between arrays of one shape. Otherwise, or with
# tuples, it is jnp.select, whose conditions and values are the items of a tuple or the rows of an array.
let mask = [true, false, true]
let x = [1, 2, 3]
print(select(mask, x))
print(select(mask[0], x, -x))
print(select(mask, x, -x))
print(select((mask, x > 1), (x, 10 * x)))
print(select((mask, x > 2), (x, 10 * x), 7))
print(select((mask, x > 2), (x, 10 * x), default=7))
print(select([mask, x > 1], [x, 10 * x], default=7))
print(select(mask, x, default=7))
print(select([mask, x > 1], (x, 10 * x)))
print(jit(fn(c) = select(c, x))(mask))
print(select([[true, false], [false, true]], [[1, 2], [3, 4]]))

# expect: 1
# expect: [1, 2, 3]
# expect: [1, -2, 3]
# expect: [1, 20, 3]
# expect: [1, 7, 3]
# expect: [1, 7, 3]
# expect: [1, 20, 3]
# expect: 1
# expect: [1, 20, 3]
# expect: 1
# expect: [1, 4]
