# What is made of many values takes a time that grows with their number: with its square these statements would take minutes.
let n = 100000

# Computed numbers, rows of them and numbers as one array, whatever the dtypes are.
let numbers = tuple(arange(n) % 1000)
let x = array(numbers)
assert(x.shape == (n,) and x.dtype == i32 and all(x == arange(n) % 1000))
assert(array(numbers, dtype=f64).dtype == f64 and array(numbers, dtype=f64)[n - 1] == 999)
let mixed = array(numbers + (0.5,))
assert(mixed.dtype == f32 and mixed[n] == 0.5 and mixed[7] == 7)
let rows = tuple(x.reshape(n // 2, 2))
assert(all(array(rows) == x.reshape(n // 2, 2)))
assert(array(((1, 2), (arange(2)[1], 0.5))).dtype == f32)
assert(all(array((0..n, range(n))) == stack((arange(n), arange(n)))))
assert(all(stack(numbers) == x) and all(stack(rows, axis=1) == x.reshape(n // 2, 2).T))
assert(all(concatenate(rows) == x) and concatenate(rows + (array((0.5, 1.5)),)).dtype == f32)
assert(all(concatenate(tuple(x.reshape(n // 2, 2, 1)), axis=1) == x.reshape(n // 2, 2).T))
assert(all([v for v in numbers] == x))
