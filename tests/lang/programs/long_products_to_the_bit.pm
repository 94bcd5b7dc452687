# The order in which many products are added depends only on their number, not on shape, number of workers, fusion, batch or device.
# configs: compiled mixed gpu-emulated gpu
fn numbers(shape, seed) = random.normal(random.key(seed), shape)
fn bits(x) = bitcast_convert_type(x, i32)
fn digest(x) = sum(i64(bits(x).reshape(-1)) * (1 + arange(x.size, dtype=i64) * 7919 % 100003))
fn product(a, b) = matmul(a, b, precision="highest")
fn fused(a, b) = nn.relu(product(a, b)) + 1

for n in (65, 1025, 2077) {
    let (a, b) = (numbers((3, n), n), numbers((n, 18), n + 1))
    let whole = product(a, b)
    let one = product(a[1], b[:, 2])
    let of_columns = product((a.T + 0).T, (b.T + 0).T)
    print(
        digest(whole),
        all(whole == of_columns),
        one == whole[1, 2],
        all(product(a, b[:, 2]) == whole[:, 2]),
        all(product(a[1], b) == whole[1]),
        all(vmap(product)(stack((a, a)), stack((b, b)))[1] == whole),
        all(fused(a, b) == maximum(whole, 0) + 1),
    )
}
let (a, b) = (numbers((3, 2077), 1).astype(bf16), numbers((2077, 18), 2).astype(bf16))
print(digest(matmul(a, b, precision="highest", preferred_element_type=f32)))
# Integers wrap around, so their sum does not depend on the order.
let i = arange(5000) * 7919
print(dot(i, i), dot(i.astype(i8), i.astype(i8)), any((i > 3) @ (i[:, none] > 3)))

# expect: -136268113476127 true true true true true true
# expect: 234239848681126 true true true true true true
# expect: -434349310140381 true true true true true true
# expect: -206407861608579
# expect: 619119948 76 true
