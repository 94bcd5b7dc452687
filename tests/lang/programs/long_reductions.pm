# Few rows or columns of many elements. The values of the reductions do not depend on the order of operations. A
# reduction is alone, is before or after other operations, or is in a loop.
let n = 150001
let i = arange(n)
let whole = i * 7919 % 10007  # the sums and squares of these numbers are not rounded in f32
let x = f32(whole % 16)
print(sum(whole), max(whole), min(whole), argmax(whole), argmin(whole))
print(sum(x), sum(i64(whole) * 1000000007), max(x * 2 - 1), argmax(x), argmin(-x), mean(x) > 7)
print(
    all(whole < 10007),
    any(whole == 10006),
    all(i < n - 1),
    any(i < 0),
    prod(where(i % 50000 == 3, 2, 1)),
)
print(
    argmax(zeros(n)),
    argmax(where(i == n - 2, nan, x)),
    max(where(i == 5, nan, x)),
    min(where(i == 5, -inf, x)),
)
print(
    sum(f16(where(i % 1024 == 0, 1, 0))),
    max(bf16(x)),
    sum(x > 7),
    sum(u8(whole)),
    max(bool(whole % 2)),
)

let rows = (arange(3 * n) * 7919 % 10007).reshape(3, n)
print(sum(rows, axis=1), max(rows, axis=1), argmin(rows, axis=1))
let tall = (arange(2500 * 5) * 31 % 1009).reshape(2500, 5)
print(
    sum(tall, axis=0),
    argmax(tall, axis=0),
    min(f32(tall), axis=0),
    sum(f32(tall) * 2 + 1, axis=0) / 5,
)
print(sum(tall.reshape(50, 50, 5), axis=(0, 1)), sum(rows.reshape(3, n, 1), axis=(1, 2)))
print(sum(tall), sum(transpose(tall), axis=1), max(broadcast_to(tall[0], (4000, 5)), axis=0))

# The operations that compute a reduction's operands or use its result are in the same kernel.
fn spread(x) = (x - max(x)) * sum(x)
print(sum(spread(whole % 4)), spread(whole % 4)[n - 3:], sum(spread(tall.reshape(-1) % 5)))
fn shifted(x) = x - sum(x, axis=0) % 10 + max(x, axis=0)
print(sum(shifted(tall)), shifted(tall)[2499], max(shifted(tall), axis=1)[:4])
print(grad(fn(x) = sum(x) * max(x))(x)[:3])

# In a loop that becomes one kernel.
fn halved(x, turns) {
    mut x = x
    for k in 0..turns {
        x = where(x > sum(x) / n, x // 2 + k, x + argmax(x) % 3)
    }
    x
}
print(sum(halved(whole, 4)), halved(whole, 4)[:5])
fn until(x, limit) {
    mut x = x
    mut turns = 0
    while max(x) > limit {
        x = x // 2 + sum(x) % 2
        turns += 1
    }
    (turns, sum(x))
}
print(until(whole, 100))
fn columns(x) {
    mut x = x
    for k in 0..3 {
        x = (x + sum(x, axis=0)) % 1009 - argmin(x, axis=0) % 7
    }
    x
}
print(columns(tall)[2498:], sum(columns(tall)))
fn chosen(x) = if sum(x) % 2 == 1 { x - max(x) } else { x + min(x) }
print(sum(chosen(whole)), sum(chosen(whole + (i == 0))))

# expect: 750462451 10006 0 1040 0
# expect: 1124547.0 750462456253237157 29.0 1 1 true
# expect: true true false false 8
# expect: 0 149999 nan -inf
# expect: 147.0 15.0 74946 19084787 true
# expect: [750462451, 750443695, 750450305] [10006, 10006, 10006] [0, 104, 1376]
# expect: [1262751, 1257513, 1261356, 1260154, 1257943] [677, 475, 273, 71, 878] [0, 0, 0, 0, 0] [505600.4, 503505.2, 505042.4, 504561.6, 503677.2]
# expect: [1262751, 1257513, 1261356, 1260154, 1257943] [750462451, 750443695, 750450305]
# expect: 6299717 [1262751, 1257513, 1261356, 1260154, 1257943] [0, 31, 62, 93, 124]
# expect: 913932760 [-224987, -224987, -449974] -624999216
# expect: 18857217 [1905, 1934, 1962, 1995, 1018] [1129, 1284, 1439, 1594]
# expect: [15.0, 135.01569, 15.0]
# expect: 139552430 [3, 993, 733, 939, 832]
# expect: (7, 5819115)
# expect: [[179, 531, 79, 765, 320], [334, 686, 234, 920, 475]] 6259827
# expect: -750447555 750462452
