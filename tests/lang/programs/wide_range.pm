# Ranges whose bounds or trip counts exceed 32 bits, interpreted and compiled.
for i in 2147483646..2147483649 { print(i) }
# expect: 2147483646
# expect: 2147483647
# expect: 2147483648

fn lie_far(x) {
    for i in 2147483646..2147483649 { print(i) }
    x
}
print(lie_far(0.0))
# expect: 2147483646
# expect: 2147483647
# expect: 2147483648
# expect: 0.0

fn backwards(x) {
    mut last = i64(0)
    for i in range(6000000000, 2999999999, -3000000000) { last = i }
    x + last
}
print(backwards(i64(1)))
# expect: 3000000001

fn many(x, n) {
    mut s = x
    for i in 0..n {
        s = s + 1.0
        if s > 100.0 { break }
    }
    s
}
print(many(1.0, 3000000000), jit(many)(1.0, 2147483648), many(1.0, 7))
# expect: 101.0 101.0 8.0

fn typed(x) {
    for i in i64(0)..3000000000 {
        if i == 5 { return x + i }
    }
    x
}
print(typed(1.0))
# expect: 6.0
