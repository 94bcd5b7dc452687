# A number that is a size decides conditions when a function is compiled, before and after its use as a size. The result
# has the kind of the branch that is taken, also if the function is interpreted.
fn late() {
    write_text("/dev/null", "")
}
fn kind(v) = if v.dtype == i32 { "i32" } else { "f32" }

fn before(n) {
    let z = zeros(n)
    let a = if n < 2 { 1 } else { 0.5 }
    (kind(a), a / 3, z.shape)
}
fn before_late(n) {
    late()
    let z = zeros(n)
    let a = if n < 2 { 1 } else { 0.5 }
    (kind(a), a / 3, z.shape)
}
fn after(n) {
    let a = if n < 2 { 1 } else { 0.5 }
    (kind(a), a / 3, zeros(n).shape)
}
fn after_late(n) {
    let a = if n < 2 { 1 } else { 0.5 }
    late()
    (kind(a), a / 3, zeros(n).shape)
}
fn never(n) {
    let a = if n < 2 { 1 } else { 0.5 }
    (kind(a), a / 3, (n,))
}
fn never_late(n) {
    let a = if n < 2 { 1 } else { 0.5 }
    late()
    (kind(a), a / 3, (n,))
}
print(before(1), before_late(1), after(1), after_late(1), never(1), never_late(1))
print(before(2), before_late(2), after(2), after_late(2), never(2), never_late(2))

# The number is passed through a function, arithmetic, floats, and conditions of conditions.
fn through(n) {
    let m = n / 2
    let a = if m < 1.5 { 1 } else { 0.5 }
    let b = if a > 0.7 and n > 0 { 3 } else { 0.25 }
    let c = if sqrt(m) < 1 { 7 } else { 0.5 }
    let d = cond(n > 1, fn() = 1, fn() = 1.5)
    (kind(a), kind(b), kind(c), kind(d), kind(where(n > 1, 1, 0.5)), before(n))
}
fn through_late(n) {
    let m = n / 2
    let a = if m < 1.5 { 1 } else { 0.5 }
    let b = if a > 0.7 and n > 0 { 3 } else { 0.25 }
    let c = if sqrt(m) < 1 { 7 } else { 0.5 }
    let d = cond(n > 1, fn() = 1, fn() = 1.5)
    late()
    (kind(a), kind(b), kind(c), kind(d), kind(where(n > 1, 1, 0.5)), before(n))
}
print(through(1), through_late(1))
print(through(3), through_late(3))

# The number is assigned and returned.
fn assigned(n) {
    mut a = 0
    mut b = 0
    if n > 2 { a = 0.5 }
    if n > 1 { b = 7 } else { b = 0.5 }
    (kind(a), kind(b), zeros(n))
}
fn assigned_late(n) {
    mut a = 0
    mut b = 0
    if n > 2 { a = 0.5 }
    if n > 1 { b = 7 } else { b = 0.5 }
    late()
    (kind(a), kind(b), zeros(n))
}
fn returned(n) {
    let z = zeros(n)
    if n > 1 { return 100000 }
    0.5
}
fn returned_late(n) {
    late()
    let z = zeros(n)
    if n > 1 { return 100000 }
    0.5
}
fn of_returned(n) = (kind(returned(n)), returned(n) * returned(n))
fn of_returned_late(n) = (kind(returned_late(n)), returned_late(n) * returned_late(n))
print(assigned(2), assigned_late(2), of_returned(2), of_returned_late(2))
print(assigned(1), assigned_late(1), of_returned(1), of_returned_late(1))

# The number is a global.
mut size = 1
fn of_global(x) {
    let a = if size < 2 { 1 } else { 0.5 }
    (kind(a), zeros(size), x)
}
fn of_global_late(x) {
    let a = if size < 2 { 1 } else { 0.5 }
    late()
    (kind(a), zeros(size), x)
}
print(of_global(1), of_global_late(1))
size = 2
print(of_global(1), of_global_late(1))

# The index of a loop that compiled code unrolls, and carried values that compiled code computes at run time.
fn unrolled(n) {
    mut s = 0
    mut kinds = ""
    for i in 0..3 {
        let a = if i < 1 { 1 } else { 0.5 }
        s += a * len(zeros(i + 1))
        kinds = kinds + kind(a)
    }
    (kinds, s, [(if i < 1 { 1 } else { 0.5 }) * len(zeros(i + 1)) for i in 0..3], n)
}
fn unrolled_late(n) {
    mut s = 0
    mut kinds = ""
    for i in 0..3 {
        let a = if i < 1 { 1 } else { 0.5 }
        s += a * len(zeros(i + 1))
        kinds = kinds + kind(a)
    }
    late()
    (kinds, s, [(if i < 1 { 1 } else { 0.5 }) * len(zeros(i + 1)) for i in 0..3], n)
}
print(unrolled(1), unrolled_late(1))
fn carried(n) {
    let z = zeros(n)
    mut k = n
    for i in 0..2 { k = k + 1 }
    (kind(if k > 2 { 1 } else { 0.5 }), z)
}
fn carried_late(n) {
    let z = zeros(n)
    mut k = n
    for i in 0..2 { k = k + 1 }
    late()
    (kind(if k > 2 { 1 } else { 0.5 }), z)
}
print(carried(1), carried_late(1))

# The number is captured by a function that is a result.
fn made(n) {
    let z = zeros(n)
    (if n < 2 { 1 } else { 0.5 }, fn() = kind(if n < 2 { 1 } else { 0.5 }))
}
fn of_made(n) {
    let (a, f) = made(n)
    (kind(a), f())
}
fn of_made_late(n) {
    late()
    let (a, f) = made(n)
    (kind(a), f())
}
print(of_made(1), of_made_late(1))
# The argument is a condition, which is known only inside of the function.
fn flagged(flag) = if flag { 1 } else { 0.5 }
fn of_flag(n) = kind(flagged(n > 3))
fn of_flag_late(n) {
    late()
    kind(flagged(n > 3))
}
fn of_known_flag(n) = (zeros(n), kind(flagged(n > 3)))
fn of_known_flag_late(n) {
    late()
    (zeros(n), kind(flagged(n > 3)))
}
print(of_flag(5), of_flag_late(5), of_known_flag(5), of_known_flag_late(5))

# expect: ("i32", 0.33333334, (1,)) ("i32", 0.33333334, (1,)) ("i32", 0.33333334, (1,)) ("i32", 0.33333334, (1,)) ("f32", 0.33333334, (1,)) ("f32", 0.33333334, (1,))
# expect: ("f32", 0.16666667, (2,)) ("f32", 0.16666667, (2,)) ("f32", 0.16666667, (2,)) ("f32", 0.16666667, (2,)) ("f32", 0.16666667, (2,)) ("f32", 0.16666667, (2,))
# expect: ("i32", "i32", "i32", "f32", "f32", ("i32", 0.33333334, (1,))) ("i32", "i32", "i32", "f32", "f32", ("i32", 0.33333334, (1,)))
# expect: ("f32", "f32", "f32", "i32", "f32", ("f32", 0.16666667, (3,))) ("f32", "f32", "f32", "i32", "f32", ("f32", 0.16666667, (3,)))
# expect: ("i32", "i32", [0, 0]) ("i32", "i32", [0, 0]) ("i32", 1410065408) ("i32", 1410065408)
# expect: ("i32", "f32", [0]) ("i32", "f32", [0]) ("f32", 0.25) ("f32", 0.25)
# expect: ("i32", [0], 1) ("i32", [0], 1)
# expect: ("f32", [0, 0], 1) ("f32", [0, 0], 1)
# expect: ("i32f32f32", 3.5, [1.0, 1.0, 1.5], 1) ("i32f32f32", 3.5, [1.0, 1.0, 1.5], 1)
# expect: ("f32", [0]) ("f32", [0])
# expect: ("i32", "f32") ("i32", "f32")
# expect: f32 f32 ([0, 0, 0, 0, 0], "i32") ([0, 0, 0, 0, 0], "i32")
