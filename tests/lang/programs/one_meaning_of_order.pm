# A call has the same result before and after other calls, whichever numbers had to be known in those calls.
fn smaller(a, b) = if a < b { a } else { b }
fn by_callee(n, m, x) {
    let c = smaller(n, 2) > 2
    if c { sum(ones(2)) } else { x }
}
print(by_callee(0, 3, i8(5)).dtype)
fn sized(k) = ones(smaller(k, 2))
print(sized(3))
print(by_callee(0, 4, i8(5)).dtype)

# A callee of the callee may need the number.
fn half_smaller(a, b) = smaller(a, b) // 2
fn sized_half(k, x) {
    let z = ones(half_smaller(k, 4))
    if half_smaller(k, 4) > 1 { z } else { x }
}
fn by_inner(k, x) = if half_smaller(k, 4) > 1 { 1.5 } else { x }
print(sized_half(9, i8(5)), sized_half(1, i8(5)))
print(by_inner(1, i8(5)).dtype, smaller(1, 9))

# A number is known only in calls in which the value of another number makes it a size.
fn by_number(k, m, x) {
    let z = ones(k + 1)
    let s = if k == 0 { sum(ones(m)) } else { 0.0 }
    if m > 2 { sum(ones(2)) } else { x }
}
print(by_number(0, 1, i8(5)).dtype)
print(by_number(1, 1, i8(5)).dtype, by_number(1, 3, i8(5)).dtype)
print(by_number(0, 1, i8(5)).dtype, by_number(0, 3, i8(5)).dtype)

# A global that changes is known only in calls in which a number makes it a size.
mut size = 1
fn by_global(k, x) {
    let z = ones(k + 1)
    let s = if k == 0 { sum(ones(size)) } else { 0.0 }
    if size > 2 { sum(ones(2)) } else { x }
}
print(by_global(0, i8(5)).dtype)
print(by_global(1, i8(5)).dtype)
size = 2
print(by_global(0, i8(5)).dtype, by_global(1, i8(5)).dtype)

# A function that is inlined has the types of each call, not those of an earlier call.
fn chosen(c, x) {
    let same = fn(y) = y
    if c { return (x, same) }
    if not c { return (1, same) }
    (f32(2.5), same)
}
fn chosen_twice(c, x, z) {
    let (b, q) = chosen(c > 0, z)
    let (a, p) = chosen(c > 0, x)
    (a, b)
}
print(tree_map(fn(x) = x.dtype, chosen_twice(sum(array([1, 2])), i8(5), f64(16777217))))
print(tree_map(fn(x) = x.dtype, chosen_twice(sum(array([1, 2])), f64(16777217), i8(5))))

# Also for functions with host work. Compiled code does not call them, even if it is known which branch is taken.
fn with_host(n, flag) {
    let size = if n > 2 { n } else { 1 }
    fn reported(q) {
        let z = zeros(size)
        if n > 0 { return q }
        write_text("/dev/null", "")
        0.1
    }
    reported(1)
}
print(with_host(1, false), with_host(3, true), with_host(3, false))

# A literal keeps its digits when it enters a loop, also in interpreted code.
fn summed(a, n) {
    mut total = 1307674368000
    for x in a { if n > 1 { total += x * 0.5 } }
    total
}
fn summed_late(a, n) {
    write_text("/dev/null", "")
    mut total = 1307674368000
    for x in a { if n > 1 { total += x * 0.5 } }
    total
}
print(summed(array([1.0, 2.0]), 2) == summed_late(array([1.0, 2.0]), 2))

# A number must be known only as long as the globals on which that depends are unchanged.
mut flag = true
mut sized = fn(n) = zeros(n).shape[0]
mut sizes = array([3, 4])
fn by_flag(n, x) {
    let s = if flag { zeros(n).shape[0] } else { 1 }
    if n > 1 { x } else { f64(0.5) }
}
fn by_function(n, x) {
    let s = sized(n)
    if n > 1 { x } else { f64(0.5) }
}
fn by_array(n, x) {
    let s = if zeros(sizes[0]).shape[0] > 2 { zeros(n).shape[0] } else { 1 }
    if n > 1 { x } else { f64(0.5) }
}
fn by_flag_late(n, x) {
    write_text("/dev/null", "")
    by_flag(n, x)
}
fn all_dtypes(x) =
    (by_flag(2, x).dtype, by_function(2, x).dtype, by_array(2, x).dtype, by_flag_late(2, x).dtype)
print(all_dtypes(f32(1)))
flag = false
sized = fn(n) = n
sizes = array([1, 4])
print(all_dtypes(f32(1)))

# Two modules have a global of the same name.
import "_one_meaning_a.pm" as module_a
import "_one_meaning_b.pm" as module_b
fn of_both() {
    let (a, f) = module_a.both()
    let (b, g) = module_b.both()
    (a, b)
}
fn by_first(x) {
    let z = zeros(of_both()[0])
    if of_both()[0] > 5 { f64(0.5) } else { x }
}
fn by_second(x) {
    let z = zeros(of_both()[1])
    if of_both()[1] > 5 { f64(0.5) } else { x }
}
print(by_first(f32(1)).dtype, by_second(f32(1)).dtype)

# A recursive call with fewer axes (a row) does not make other calls know more numbers.
fn of_rows(x, n) = if n == 0 { sum(x) } else { sum(of_rows(x[0], n - 1)) }
print(of_rows([[1.0, 2.0]], 2))

# Whether a number must be known is determined only once, not once for each of many callers.
fn deep(n, m, x) = if n > 0 { deep(n - 1, m, x) + 1 } else { sum(zeros(m)) + x }
print(deep(900, 3, 1.5))
# expect: f32
# expect: [1, 1]
# expect: f32
# expect: [1, 1] 5
# expect: f32 1
# expect: i8
# expect: f32 f32
# expect: i8 f32
# expect: i8
# expect: f32
# expect: i8 f32
# expect: (f32, f64)
# expect: (f64, f32)
# expect: 1.0 1.0 1.0
# expect: true
# expect: (f32, f32, f32, f32)
# expect: (f64, f64, f64, f64)
# expect: f32 f32
# expect: 1.0
# expect: 901.5
