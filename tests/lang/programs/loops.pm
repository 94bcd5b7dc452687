# `for` over ranges, arrays, tuples and records; `while`, break, continue and return; in staged code and at top level.
fn total(x) {
    mut s = 0.0
    for v in x {
        if v < 0.0 { continue }
        if v > 5.0 { break }
        s += v
    }
    s
}
print(total([1.0, -1.0, 2.0, 9.0, 3.0]))
fn collatz(n) {
    mut n = n
    mut turns = 0
    while n != 1 {
        n = if n % 2 == 0 { n // 2 } else { 3 * n + 1 }
        turns += 1
    }
    turns
}
print(collatz(27), vmap(collatz)(arange(1, 8)))
fn first_above(x, limit) {
    for (i, v) in enumerate(x) { if v > limit { return i } }
    -1
}
print(first_above([1.0, 3.0, 2.0], 2.5), first_above([1.0], 2.5))
mut seen = ()
for item in (1, "a", 2.5) { seen += (item,) }
for (name, value) in {b: 1, a: 2} { seen += ("{name}={value}",) }
print(seen)
print([i * i for i in 0..5], (i for i in 0..3))
for i in range(10, 0, -3) { print(i, end=" ") }
print("")
mut count = 0
for i in 0..100 { if i == 7 { break } else { count += i } }
print(count)

# expect: 3.0
# expect: 111 [0, 1, 7, 2, 5, 8, 16]
# expect: 1 -1
# expect: (1, "a", 2.5, "b=1", "a=2")
# expect: [0, 1, 4, 9, 16] (0, 1, 2)
# expect: 10 7 4 1 
# expect: 21
