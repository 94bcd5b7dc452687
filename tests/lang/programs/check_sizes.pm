# Checks test 64 elements at a time. Sizes near multiples of 64, and the element that the message reports as the first.
for n in (1, 2, 63, 64, 65, 66, 127, 128, 129, 193, 257, 1025, 16385) {
    let x = arange(n)
    let ones_at = ones(n)[x]
    mut counts = zeros(n)
    counts[x] += 1.0
    assert(all(x < n), "every one")
    print(n, sum(x % 3), sum(x // 2), sum(ones_at), sum(counts), sum(i64(x) % 5))
}
# expect: 1 0 0 1.0 1.0 0
# expect: 2 1 0 2.0 2.0 1
# expect: 63 63 961 63.0 63.0 123
# expect: 64 63 992 64.0 64.0 126
# expect: 65 64 1024 65.0 65.0 130
# expect: 66 66 1056 66.0 66.0 130
# expect: 127 126 3969 127.0 127.0 251
# expect: 128 127 4032 128.0 128.0 253
# expect: 129 129 4096 129.0 129.0 256
# expect: 193 192 9216 193.0 193.0 383
# expect: 257 256 16384 257.0 257.0 511
# expect: 1025 1024 262144 1025.0 1025.0 2050
# expect: 16385 16384 67108864 16385.0 16385.0 32770
print(grad(fn(x) = sum(x[arange(65)] ** 2))(ones(65))[64])
# expect: 2.0
print(7 // (arange(65) with [0] = 1 with [64] = 0))
# error: PM0502
