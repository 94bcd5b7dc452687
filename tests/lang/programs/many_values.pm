# The time for results of many values is linear in the number of values; if it were quadratic, this would take minutes.
# configs: compiled evaluate mixed-3
let n = 100000

# Tuples of computed numbers, or of rows of computed numbers, become one array, of any dtype.
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

# Long tuples as arguments and results of a compiled function.
fn first_of(t, y) = (t, t[0] + y)
let tens = tuple(arange(20000.0))
let (same, sum_of_first) = first_of(tens, 1.5)
assert(sum_of_first == 1.5 and same[19999] == 19999)
fn copied(t) = tree_map(fn(v) = v + 1, t)
assert(copied(tens[:400])[399] == 400)
fn of_global(y) {
    mut s = y
    for i in tuple(0..300) { s = s + tens[i] }
    s
}
assert(of_global(1.0) == 44851)

# Texts and tuples that grow by one item in each iteration.
mut line = ""
mut list = ()
for i in 0..n {
    line = line + "ab" + "c"
    list = list + (i, i + 1)
}
assert(len(line) == 3 * n and line[3 * n - 1] == "c" and line[:6] == "abcabc")
assert(len(list) == 2 * n and list[2 * n - 1] == n)
fn grown(n) {
    let _ = time() # makes the function interpreted
    mut growing = ()
    for i in 0..n { growing = growing + (i,) }
    len(growing)
}
assert(grown(n) == n)
mut both = "x"
both = both + both + both
assert(both == "xxx")
mut letters = 0
for i in 0..90 {
    if line[i] == "a" { letters += 1 }
}
assert(letters == 30)
