# Code that is valid only for some sizes is no error: for even sizes, for sizes divisible by another, for sizes above 3.
# command: check
# configs: compiled
fn pairs(x: f32[n, d]) = x.reshape(n // 2, 2, d)
fn heads(x: f32[t, e], w: f32[e, h]) = x.reshape(t, h, e // h)
fn corner(x: f32[n, n]) = x[3, 2] + x[-4, 0]
fn window(x: f32[n]) = x[2:10]
fn bands(x: f32[..., n]) = x[..., :n // 2] + x[..., n - n // 2:]
fn powers(x: f32[n, n], k: i32) = if k == 0 { eye(n) } else { x @ x }
fn steps(x: f32[d]) -> f32 {
    mut y = x
    for i in range(d) { y = y + x[i] }
    while max(y) > 1.0 { y = y / 2 }
    sum(y)
}
fn options(f: fn, x: f32[n], _name: str) = f(x + ones(n + 1))
fn partly(x: f32[n], _y) = x + ones(n + 1)
# expect: {*}for_some_sizes.pm: no errors
