# Few rows or columns of many floats are added in one order, on every device and in every configuration.
# configs: compiled mixed gpu-emulated gpu
fn scattered(n, seed) =
    (arange(n, dtype=u32) * 2654435761 + seed * 40503) ^ (
        (arange(n, dtype=u32) + seed) * 2246822519 >> 7
    )
fn numbers(n, seed) = f32(scattered(n, seed) >> 8) / 1024.0 - 8192.0
fn bits(x) = bitcast_convert_type(x, i32)
fn digest(x) = sum(i64(bits(x).reshape(-1)) * (1 + arange(x.size, dtype=i64) * 7919 % 100003))

let x = numbers(150001, 3)
print(
    bits(sum(x)),
    bits(sum(x * x + 1)),
    bits(prod(1 + x / 1e8)),
    bitcast_convert_type(sum(f64(x)), i64),
)
print(sum(f16(x / 64)), sum(bf16(x)), bits(mean(x)), bits(std(x)), bits(logsumexp(x / 1000)))
fn soft(x) = nn.softmax(x / 1000)
print(digest(soft(x)), digest(grad(fn(x) = sum(soft(x) * x))(x)), digest((x - mean(x)) / std(x)))
let rows = numbers(2 * 150001, 7).reshape(2, 150001)
print(
    bits(sum(rows, axis=1)),
    digest(soft(rows)),
    bits(sum(rows.reshape(2, 150001, 1), axis=(1, 2))),
)
print(digest(sum(numbers(21000 * 9 * 2, 1).reshape(21000, 2, 9), axis=(0, 2))))
let tall = numbers(2500 * 7, 5).reshape(2500, 7)
print(digest(sum(tall, axis=0)), digest(var(tall, axis=0)), digest(logsumexp(tall / 1000, axis=0)))
print(
    digest((tall - mean(tall, axis=0)) / std(tall, axis=0)),
    digest(f32(sum(f16(tall / 64), axis=0))),
)
print(digest(sum(tall.reshape(25, 100, 7), axis=(0, 1))))
fn descend(x) {
    mut x = x
    for k in 0..3 {
        x = x - 0.25 * (x - mean(x)) + 0.001 * (x / (1 + std(x)))
    }
    x
}
print(digest(descend(x)))
fn columns(x) {
    mut x = x
    for k in 0..3 {
        x = x - 0.5 * mean(x, axis=0) + argmax(x, axis=0)
    }
    x
}
print(digest(columns(tall)))

# expect: -960930356 1413697776 1065346421 -4551120825134088192
# expect: -373.8 -23600.0 -1105069700 1167314293 1099596534
# expect: 6415285990598023007 -7595169634164004813 -106616302048988167
# expect: [-956885170, 1185610450] -5616309257842290546 [-956885170, 1185610450]
# expect: -7398674971564
# expect: 76140298063860 211121685724061 182270198959178
# expect: -11901655915894664 67768352923648
# expect: 76140289764425
# expect: 582794381851609660
# expect: 397474224283086383
