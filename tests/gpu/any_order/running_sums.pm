# A GPU may add running sums in any order. All sums and products here are exact, so the result does not depend on it.
fn scattered(n, seed) =
    (arange(n, dtype=u32) * 2654435761 + seed * 40503) ^ (
        (arange(n, dtype=u32) + seed) * 2246822519 >> 7
    )
fn whole(n, seed, largest) = i32(scattered(n, seed) >> 5) % largest - largest // 2
fn digest(x) = sum(i64(x).reshape(-1) * (1 + arange(x.size, dtype=i64) * 7919 % 100003))

fn of_length(n) {
    let x = f32(whole(n, 3, 200))
    let twos = where(whole(n, 5, 300) == 0, 2.0, 1.0)
    (
        digest(cumsum(x)),
        digest(cumsum(x, reverse=true)),
        digest(cumprod(twos) * 16.0),
        digest(cummax(x)),
        digest(cumsum(f64(x) * 1e6)),
    )
}
for n in [1, 127, 128, 129, 256, 257, 2047, 2048, 2049, 16384, 16385, 20000, 40961] {
    print(n, of_length(n))
}
fn of_halves(n) {
    let x = f16(whole(n, 7, 9))
    digest(cumsum(x)) - digest(cumsum(f32(x)))
}
print(of_halves(300), of_halves(3000))
print(digest(cumsum(bf16(whole(200, 7, 5)))))
fn of_rows(rows, n) = (
    digest(cumsum(f32(whole(rows * n, 11, 200)).reshape(rows, n), axis=1)),
    digest(cumsum(f32(whole(rows * n, 13, 200)).reshape(n, rows), axis=0)),
    digest(cumsum(f32(whole(rows * n, 17, 200)).reshape(2, n, rows // 2), axis=1, reverse=true)),
)
print(of_rows(4, 130), of_rows(6, 700), of_rows(2, 17000), of_rows(300, 140))
fn in_loop(n) {
    mut x = f32(whole(n, 17, 3))
    for t in range(3) { x = cumsum(x) % 64.0 + f32(t) }
    digest(x)
}
print(in_loop(100), in_loop(500), in_loop(17000))
print(digest(grad(fn(x) = sum(cumsum(x) * f32(whole(3000, 19, 8))))(ones(3000))))

# Zeros keep their signs; all results from the index of a NaN on are NaN.
print(cumsum(-zeros(130))[:2], cumsum(where(arange(130) == 128, nan, 1.0))[127:])

# For numbers whose sums are not exact, the results are near those of the sequential order.
fn near(n) {
    let x = 1.0 + f32(whole(n, 23, 1000)) / 1e4
    let exact = f32(cumsum(f64(x)))
    max(abs(cumsum(x) / exact - 1.0)) < 1.2e-7 and
        max(abs(cumprod(x / 1.0001) / f32(cumprod(f64(x / 1.0001))) - 1.0)) < 1.2e-7 and
        max(abs(cumlogsumexp(x) - log(cumsum(exp(x))))) < 1e-4
}
print(near(500), near(20000))
# expect: 1 (-44, -44, 16, -44, -44000000)
# expect: 127 (-2075319630, 642228012, 101733376, 608331345, -2075319630000000)
# expect: 128 (-2076842942, 349483092, 101824320, 608894061, -2076842942000000)
# expect: 129 (-2079237070, 936224408, 102041968, 610240758, -2079237070000000)
# expect: 256 (-4216190789, -285751969, 202704672, 1233091239, -4216190789000000)
# expect: 257 (-4224841979, 171312923, 203139952, 1235784534, -4224841979000000)
# expect: 2047 (-98967167124, 16882419957, 4794912592, 10110029001, -98967167124000000)
# expect: 2048 (-98975040312, 15961316865, 4795533904, 10110990093, -98975040312000000)
# expect: 2049 (-98990463937, 9410122305, 4796662032, 10112735166, -98990463937000000)
# expect: 16384 (-3629438036258, -5329653846447, 1008764685440370704, 81077016642, -3629438036258000000)
# expect: 16385 (-3629888446162, -5368976135007, -8162815955699644400, 81081076236, -3629888446162000000)
# expect: 20000 (-5573274284822, -3910744241318, -4887573126695728230, 98973886083, -5573274284822000000)
# expect: 40961 (-19714059452291, -12191275469029, 4335798909110925703, 202737951708, -1267315378581448384)
# expect: 0 0
# expect: 221462525
# expect: (-430017547, -5526302765, 689412481) (-128089201795, -187637590396, 28048327517) (-7691554817903, -15515251927296, -4856156645559) (-118462630594, -135391344124, -67959417428)
# expect: 163242920 789173394 28373565846
# expect: -107919969861
# expect: [-0, -0] [128.0, nan, nan]
# expect: true true
