# An interpreted function treats the numbers as known that compiled code would have to know, also results of calls. If
# all results of a call are numbers, literals keep all digits in it. Carried numbers, also in loops without iterations,
# have the types of compiled loops. Each function is printed without and with a line of host work.
fn late() {
    write_text("/dev/null", "")
}

# the result of an interpreted function is a size, and the bound of a loop
fn same(a) = a
fn same_late(a) {
    late()
    a
}
fn by_size(g, n) {
    let z = zeros(g(n))
    if n > 1 { 1 } else { 0.5 }
}
fn by_bound(g, n) {
    for i in 0..g(n) { return 1 }
    0.5
}
print(by_size(same, 3), by_size(same_late, 3))
print(by_bound(same, 3), by_bound(same_late, 3))
fn product(a, b) = a * b
fn product_late(a, b) {
    late()
    a * b
}
fn by_product(g, n, d) {
    let z = zeros(g(n, 2))
    if n > 1 { 1 } else { d }
}
print(by_product(product, 3, 0.5), by_product(product_late, 3, 0.5))

# literals as arguments
fn squared(a) = a * a
fn squared_late(a) {
    late()
    a * a
}
fn written(n) = (squared(100000), squared(n))
fn written_late(n) = (squared_late(100000), squared_late(n))
print(written(100000), written_late(100000))
fn returned(a) {
    if a > 3 { return a * a }
    0.5
}
fn returned_late(a) {
    late()
    if a > 3 { return a * a }
    0.5
}
fn both(g, n) = (g(100000), g(2), n)
print(both(returned, 1), both(returned_late, 1))

# the value before the loop determines the type of the carried value
fn assigned(n, x, a) {
    mut m = x
    for i in a { m = n }
    m
}
fn assigned_late(n, x, a) {
    late()
    mut m = x
    for i in a { m = n }
    m
}
print(assigned(2, f32(0.1), [1, 2]), assigned_late(2, f32(0.1), [1, 2]))

# loops without iterations
fn pair(a) = (a * 0.5, 1)
fn pair_late(a) {
    late()
    (a * 0.5, 1)
}
fn none_of(g) = ([g(j) for j in 0..0], map(g, zeros(0)), scan(fn(c, x) = (c, g(x)), 0.0, zeros(0)))
print(none_of(pair))
print(none_of(pair_late))
fn unrolled(n) {
    late()
    for i in 0..1 { let z = ["ab" * j for j in 0..abs(i - i)] }
    n
}
print(unrolled(2))

# functions that round to integral floats
fn rounded(n) = (rint(n) * 1000000000, rint(3))
fn rounded_late(n) {
    late()
    (rint(n) * 1000000000, rint(3))
}
print(rounded(3), rounded_late(3))

# literals in functions with data of 64 bits; one value with and without a dtype
fn wide(x, a) = (where(x > 0, 0.1, 1.5) * f64(1), where(x > 0, 2, 1).dtype, a.dtype)
fn wide_late(x, a) {
    late()
    (where(x > 0, 0.1, 1.5) * f64(1), where(x > 0, 2, 1).dtype, a.dtype)
}
print(wide(1.0, i64([4])), wide_late(1.0, i64([4])))
fn twice(x) = (x, float(x))
fn twice_late(x) {
    late()
    (x, float(x))
}
fn beside_f16(p) = ((p.0 * 0 + f16(1)).dtype, (p.1 * 0 + f16(1)).dtype)
print(beside_f16(twice(f32(0.1))), beside_f16(twice_late(f32(0.1))))

# A function whose result is known for some numbers only, and recursion on literals
fn some(n) = if n == 0 { zeros(3) } else { n * n }
fn some_late(n) {
    late()
    if n == 0 { zeros(3) } else { n * n }
}
fn several(f, x) = (f(100000), f(0), f(100000), x)
print(several(some, 1), several(some_late, 1))
fn sized(n) = if n > 2 { zeros(n) } else { n * n * 1000000 }
fn after(f, x) = (f(3), f(2) * 1000000, x)
fn alone(f, x) = (f(2) * 1000000, x)
print(after(sized, 1), alone(sized, 1))
fn product_to(n) = if n <= 1 { 1 } else { n * product_to(n - 1) }
fn product_to_late(n) {
    late()
    if n <= 1 { 1 } else { n * product_to_late(n - 1) }
}
fn recursive(f, x) = (f(15), x)
print(recursive(product_to, 1), recursive(product_to_late, 1), product_to_late(5))
let values = [1.0, 2.0]
fn never(n) {
    late()
    if sum(values) > 0 { 1 } else { never(1) }
}
fn calls_it(x) = never(1) + x
print(calls_it(2))
# expect: 1 1
# expect: 1.0 1.0
# expect: 1 1
# expect: (10000000000, 1410065408) (10000000000, 1410065408)
# expect: (10000000000, 0.5, 1) (10000000000, 0.5, 1)
# expect: 2.0 2.0
# expect: (([], []), ([], []), (0.0, ([], [])))
# expect: (([], []), ([], []), (0.0, ([], [])))
# expect: 2
# expect: (3000000000.0, 3.0) (3000000000.0, 3.0)
# expect: (0.1, i64, i64) (0.1, i64, i64)
# expect: (f32, f16) (f32, f16)
# expect: (10000000000, [0, 0, 0], 10000000000, 1) (10000000000, [0, 0, 0], 10000000000, 1)
# expect: ([0, 0, 0], 4000000000000, 1) (4000000000000, 1)
# expect: (1307674368000, 1) (1307674368000, 1) 120
# expect: 3
