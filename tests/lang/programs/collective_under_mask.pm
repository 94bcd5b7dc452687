# Reverse mode where devices exchange cotangents in a called function. A cotangent can come from another device, whose mask differs.
let c = f64([-0.26, 0.81])
fn scattered(x) = psum_scatter(x * c, "i")
fn greatest(x) = sum(sin(pmap(fn(a) = pmax(scattered(x), "i"), axis_name="i", out_axes=none)(c)))
fn nested(x) = sum(pmap(fn(b) {
    let z = if b > 0.5 { x * b } else { sin(x) }
    let inner = pmap(fn(a) = psum(a * z, ("j", "i")), axis_name="j", out_axes=none)(f64([0.4, 0.6, 0.1]))
    pmax(inner * b, "i") + where(b > 0.5, sqrt(inner), 0)
}, axis_name="i")(f64([0.3, 0.7])))
fn looped(x) = sum(pmap(fn(b) {
    mut y = x * b
    for i in 0..3 { y = where(b > 0.5, psum(y, "i") * 0.4, y + psum_scatter(y * c, "i")) }
    y
}, axis_name="i")(f64([0.3, 0.7])))
for f in (greatest, nested, looped) {
    let (forward, reverse) = (jvp(f, (0.41f64,), (1f64,))[1], grad(f)(0.41f64))
    let step = 1e-6
    let slope = (f(0.41f64 + step) - f(0.41f64 - step)) / (2 * step)
    print("{forward:.6f}", allclose(forward, reverse), allclose(forward, slope, rtol=1e-6))
}
# expect: 1.275604 true true
# expect: 3.514532 true true
# expect: -0.060176 true true
