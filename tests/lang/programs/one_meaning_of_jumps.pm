# In an interpreted function, names that an unrolled loop assigns have the types of compiled code, also after a `break`,
# `continue` or `return` under a computed condition. The number that ends a recursion is known. Each function is printed
# without and with a line of host work.
fn late() { write_text("/dev/null", "") }

fn continues(x) {
    mut a = 0.5
    for i in (1, 2) {
        if x > 3 { continue }
        a = 7
    }
    a
}
fn continues_late(x) {
    late()
    mut a = 0.5
    for i in (1, 2) {
        if x > 3 { continue }
        a = 7
    }
    a
}
print(continues(2), continues_late(2), continues(4), continues_late(4))
fn breaks(x) {
    mut a = 1
    for c in "ab" {
        a = 7
        if x > 3 { break }
        a = 0.5
    }
    a * 100000
}
fn breaks_late(x) {
    late()
    mut a = 1
    for c in "ab" {
        a = 7
        if x > 3 { break }
        a = 0.5
    }
    a * 100000
}
print(breaks(4), breaks_late(4), breaks(2), breaks_late(2))
fn returns(x) {
    mut (a, all) = (1, ())
    for i in (1, 2, 3) {
        all = all + (a,)
        if i > x { return (2, all[:1]) }
        a = i * 0.5
    }
    (a, all[:1])
}
fn returns_late(x) {
    late()
    mut (a, all) = (1, ())
    for i in (1, 2, 3) {
        all = all + (a,)
        if i > x { return (2, all[:1]) }
        a = i * 0.5
    }
    (a, all[:1])
}
print(returns(4), returns_late(4), returns(2), returns_late(2))

# a number ends a recursion
fn last(n, x) = if n == 0 { x } else { last(n - 1, 1) }
fn last_late(n, x) {
    late()
    if n == 0 { x } else { last_late(n - 1, 1) }
}
print(last(1, 0.5), last_late(1, 0.5), last(0, 0.5), last_late(0, 0.5))
fn beside(n) {
    let r = if n > 0 { 3 } else { 0.5 }
    if n > 1 { beside(n - 1) } else { r }
}
fn beside_late(n) {
    late()
    let r = if n > 0 { 3 } else { 0.5 }
    if n > 1 { beside_late(n - 1) } else { r }
}
print(beside(0), beside(2), beside_late(0), beside_late(2))
fn even(n) = if n == 0 { 1 } else { odd(n - 1) }
fn odd(n) {
    late()
    if n == 0 { 0.5 } else { even(n - 1) }
}
print(even(4) * 100000 * 100000, even(5), odd(3))

# a condition on a number that was chosen by a computed condition
fn chosen(x) {
    if -3 > cond(0.1 > x, fn() = x, fn() = 7) { return x }
    0
}
fn chosen_late(x) {
    late()
    if -3 > cond(0.1 > x, fn() = x, fn() = 7) { return x }
    0
}
print(chosen([1.0, 2.0][0]), chosen_late([1.0, 2.0][0]))

# a `return` in an inner loop
fn nested(x) {
    mut a = 1
    for i in (1, 2) {
        if i == 2 { a = 100000 }
        for j in (1, 2) {
            if x > 3 { return 0 }
        }
    }
    a * 100000
}
fn nested_late(x) {
    late()
    mut a = 1
    for i in (1, 2) {
        if i == 2 { a = 100000 }
        for j in (1, 2) {
            if x > 3 { return 0 }
        }
    }
    a * 100000
}
print(nested(2), nested_late(2))
fn in_while(x) {
    mut a = 1
    for i in (1, 2) {
        if i == 2 { a = 100000 }
        mut k = x
        while k > 3 { return 0 }
    }
    a * 100000
}
fn in_while_late(x) {
    late()
    mut a = 1
    for i in (1, 2) {
        if i == 2 { a = 100000 }
        mut k = x
        while k > 3 { return 0 }
    }
    a * 100000
}
print(in_while(2), in_while_late(2))

# the order of fields in a record
fn fields(x) {
    mut r = {a: 1, b: 2}
    for i in (1,) {
        if x > 3 { break }
        r = {b: 1, a: 2}
    }
    r
}
fn fields_late(x) {
    late()
    mut r = {a: 1, b: 2}
    for i in (1,) {
        if x > 3 { break }
        r = {b: 1, a: 2}
    }
    r
}
print(fields(4), fields_late(4))
fn last_fields(x) {
    mut a = {k: 1, b: 2}
    for v in (1, 2) {
        if v > 1 { a = {b: 3, k: 0.5} }
        if v > x { break }
    }
    a
}
fn last_fields_late(x) {
    late()
    mut a = {k: 1, b: 2}
    for v in (1, 2) {
        if v > 1 { a = {b: 3, k: 0.5} }
        if v > x { break }
    }
    a
}
print(last_fields(0.5), last_fields_late(0.5))

# three `return`s; the first two results would have dtype bf16 if the third were not considered
fn three(n, x, a) {
    if n > 0 {
        if n > 2 { return {a: (100000, n)} }
        return {a: (x, n)}
    }
    {a: (sum(a), n)}
}
fn three_late(n, x, a) {
    late()
    if n > 0 {
        if n > 2 { return {a: (100000, n)} }
        return {a: (x, n)}
    }
    {a: (sum(a), n)}
}
fn from_loop(n, x, a) {
    for i in 0..n {
        if i > 2 { return i * 100000 }
        if i > 1 and n < 4 { return x }
    }
    sum(a)
}
fn from_loop_late(n, x, a) {
    late()
    for i in 0..n {
        if i > 2 { return i * 100000 }
        if i > 1 and n < 4 { return x }
    }
    sum(a)
}
let small = bf16(0.5)
for n in (4, 1, 0) { print(three(n, small, f64([0.5])), three_late(n, small, f64([0.5]))) }
for n in (4, 3, 1) { print(from_loop(n, small, f64([0.5])), from_loop_late(n, small, f64([0.5]))) }
print(vmap(fn(n) = from_loop(n, small, f32([0.5])))([4, 3, 1]))
print(grad(fn(x) = three(1, x, f64([0.5])).a[0])(small))

# the type of the branch of a `cond` or `switch` that is not taken, in code that is staged only for its types
fn chosen_size(n, a, b) = cond(n > 1, fn() = a, fn() = b)
fn chosen_size_late(n, a, b) {
    late()
    cond(n > 1, fn() = a, fn() = b)
}
fn sized(n, a, b) = (zeros(chosen_size(n, a, b)), switch(n, (fn() = a, fn() = b * 0.5)))
fn sized_late(n, a, b) {
    late()
    (zeros(chosen_size_late(n, a, b)), switch(n, (fn() = a, fn() = b * 0.5)))
}
print(sized(2, 1, 3), sized_late(2, 1, 3))
print(sized(0, 1, 3), sized_late(0, 1, 3))
# expect: 7.0 7.0 0.5 0.5
# expect: 700000.0 700000.0 50000.0 50000.0
# expect: (1.5, (1,)) (1.5, (1,)) (2, (1,)) (2, (1,))
# expect: 1 1 0.5 0.5
# expect: 0.5 3 0.5 3
# expect: 10000000000 0.5 1
# expect: 0.0 0.0
# expect: 1410065408 1410065408
# expect: 1410065408 1410065408
# expect: {b: 2, a: 1} {b: 2, a: 1}
# expect: {b: 2, k: 1.0} {b: 2, k: 1.0}
# expect: {a: (100000.0, 4)} {a: (100000.0, 4)}
# expect: {a: (0.5, 1)} {a: (0.5, 1)}
# expect: {a: (0.5, 0)} {a: (0.5, 0)}
# expect: 300000.0 300000.0
# expect: 0.5 0.5
# expect: 0.5 0.5
# expect: [300000.0, 0.5, 0.5]
# expect: 1.0
# expect: ([0], 1.5) ([0], 1.5)
# expect: ([0, 0, 0], 1) ([0, 0, 0], 1)
