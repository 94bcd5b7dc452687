# Checks of divisors and indices in an operand of `where` apply only to elements for which the operand is chosen.
let total = [7, 8, 9]
let n = [2, 0, -2]

# ---- at top level: for numbers, for arrays, and for functions that the operands call
let zero = 0
print(where(zero > 0, 7 // zero, 0), where(zero > 0, 7 % zero, -1), where(true, 1, 7 // 0))
print(where(n != 0, total // n, 100), where(n != 0, total % n, 100), where(n == 0, 100, fmod(total, n)))
print((n > 0).where(total // n, -1), select(n > 0, total // n, full_like(n, -1)))
print(select((n > 0, n < 0), (total // n, -total // n), default=50))
fn quotient(a, b) = a // b
print(where(n != 0, quotient(total, n), 1), where(n > 0, where(n > 1, total // n, 5), 6))
let i = [0, 5, 2]
print(where(i < 3, total[i], 0), where(zero > 5, total[zero + 4], 0), where(i < 3, take(total, i, mode="raise"), 0))
# expect: 0 -1 1
# expect: [3, 100, -5] [1, 100, -1] [1, 100, 1]
# expect: [3, -1, -1] [3, -1, -1]
# expect: [3, 50, 4]
# expect: [3, 1, -5] [3, 6, 6]
# expect: [7, 0, 9] 0 [7, 0, 9]

# ---- in compiled code, where a branch may be computed before the condition is known
fn average(total, n) = where(n > 0, total // n, 0)
print(average(7, 0), average(7, 2), average(total, n), average(u8(total), u8([0, 3, 4])))
fn named(total, n) {
    let q = total // n
    let rest = total % n
    where(n != 0, 10 * q + rest, -1)
}
print(named(7, 0), named(total, n))
fn by_if(total, n) {
    let q = total // n
    if n > 0 { q } else { 0 }
}
print(by_if(7, 0), vmap(by_if)(total, n))
fn read(x, i, n) = where(i < n, x[i], 0) + where(i >= n, 0, (x[i:+1])[0])
print(read(total, 7, 3), read(total, 1, 3), vmap(read, in_axes=(none, 0, none))(total, i, 3))
fn rows(x, i) = where((i < 3)[:, none], x[i], -1)
print(rows([[1, 2], [3, 4], [5, 6]], i))
fn unused(total, n) {
    let q = where(n > 0, total // n, 0) + 1
    for j in 0..2 { let also = where(n > 0, total % n, 0) }
    pmap(fn(a, b) = b, in_axes=(none, 0))(where(n > 0, total // n, 0), [1])
}
print(unused(7, 0))
fn known(x) {
    let k = 4
    where(x > 0, x, where(len(x) > k, x[k], -1) + where(k > 4, 1 // (k - 4), 0))
}
print(known([1, -2]))
# expect: 0 3 [3, 0, 0] [0, 2, 2]
# expect: -1 [31, -1, -51]
# expect: 0 [3, 0, 0]
# expect: 0 16 [14, 0, 18]
# expect: [[1, 2], [-1, -1], [5, 6]]
# expect: [1]
# expect: [1, -1]

# ---- in functions, loops and branches inside of the operand, and through operations that move elements
fn in_loop(x, k) {
    mut sum = 0
    for j in 0..3 { sum += x[j] // k }
    sum
}
fn moved(a, b) = where(b[::-1] != 0, (quotient(a, b))[::-1], 0).sum()
fn spread(a, b) = where(b[:, none] * [1, 1] != 0, (a // b)[:, none] * [1, 10], 0)
fn of_all(a, b) = where(all(b != 0), sort(a // b)[0] + in_loop(a, b[0]), -5)
print(where(zero > 0, in_loop(total, zero), -7), jit(fn(k) = where(k > 0, in_loop(total, k), -7))(0))
print(moved(total, n), spread(total, n), of_all(total, n), of_all(total, [1, 2, 4]))
print(vmap(fn(k) = where(k > 0, in_loop(total, k), -7))(n), where(n > 0, vmap(quotient)(total, n), 3))
print(where(n != 0, divmod(total, n)[1], -1), vmap(fn(a, b) = where(b != 0, divmod(a, b)[0], -1))(total, n))
print(jit(fn(k) = where(k != 0, map(fn(a) = a // k, total), -1))(0))
# expect: -7 -7
# expect: -2 [[3, 30], [0, 0], [-5, -50]] -5 26
# expect: [11, -7, -7] [3, 3, 3]
# expect: [1, -1, -1] [3, -1, -5]
# expect: [-1, -1, -1]

# ---- under derivatives and vmap, and on devices
fn weight(x, k) = where(k > 0, x ** 2 * (12 // k), x)
print(grad(weight)(3.0, 0), grad(weight)(3.0, 4), vmap(grad(weight))([1.0, 2.0, 3.0], n))
print(jvp(fn(x) = weight(x, 0), (3.0,), (1.0,)), grad(grad(weight))(3.0, 4), grad(fn(x) = weight(x, 0))(1.0))
fn picked(x, i) = where(i < len(x), x[i] ** 2, 0)
print(grad(picked)([1.0, 2.0], 5), grad(picked)([1.0, 2.0], 1), vmap(grad(picked), in_axes=(none, 0))([1.0, 2.0], i))
print(hessian(fn(x) = sum(vmap(picked, in_axes=(none, 0))(x, i)))([1.0, 2.0])[0])
print(pmap(average, in_axes=(0, 0), uneven=true)(total, n), grad(checkpoint(fn(x) = weight(x, 0)))(2.0))
# expect: 1.0 18.0 [12, 1, 1]
# expect: (3.0, 1.0) 6.0 1.0
# expect: [0, 0] [0, 4] [[2, 0], [0, 0], [0, 0]]
# expect: [2, 0]
# expect: [3, 0, 0] 1.0

# ---- operands chosen by a number
fn chosen(total, n) = select_n(i32(n > 0) + i32(n > 1), -1, 5, total // n)
print(chosen(total, n), select_n(n > 0, 0, total // n), (n == 0).select_n(total % n, 7), grad(fn(x) = chosen(x, 0))(2.0))
# expect: [3, -1, -1] [3, 0, 0] [1, 7, -1] 0.0
