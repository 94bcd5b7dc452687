# Each call reads the numbers of `mut` globals again, whether it uses them as values, sizes or conditions.
mut lr = 0.5
mut cfg = {n: 2, scale: 3.0, on: true}
fn inner(x) = x * lr + cfg.scale
fn outer(x) = inner(x) + inner(2 * x) + lr
print(outer(1.0))
lr = 0.25
print(outer(1.0))
cfg.scale = 1.0
print(outer(1.0))
lr = 2
print(outer(1.0))
lr = f64(0.5)
print(outer(1.0))
lr = 0.5
fn sized(x) = zeros(cfg.n) + x
print(sized(1.0))
cfg.n = 3
print(sized(1.0))
cfg.n = 2
print(sized(2.0))
print(grad(outer)(1.0), vmap(outer)([1.0, 2.0]), vmap(grad(outer))([1.0, 2.0]))
lr = 0.75
print(grad(outer)(1.0), vmap(outer)([1.0, 2.0]), vmap(grad(outer))([1.0, 2.0]))
fn flag(x) = if cfg.on { x } else { -x }
print(flag(1.0))
cfg.on = false
print(flag(1.0))
fn cond(x) = if lr > 0.6 { x } else { -x }
print(cond(1.0))
lr = 0.1
print(cond(1.0))
fn text(x) = if lr > 0.6 { "big" } else { "small" }
print(text(1.0))
lr = 0.9
print(text(1.0))
fn loop(x) { mut s = x; for i in 0..cfg.n { s = s * 2 }; s }
print(loop(1.0), grad(loop)(1.0))
cfg.n = 4
print(loop(1.0), grad(loop)(1.0))
fn helper() = cfg.n * 2
fn uses(x) = x + zeros(helper())
print(uses(1.0))
cfg.n = 1
print(uses(1.0))
mut f = fn(x) = x * lr
fn call(x) = f(x)
print(call(2.0))
lr = 1.5
print(call(2.0))
fn make(k) = fn(x) = x * k
mut h = make(2.0)
fn use_h(x) = h(x)
print(use_h(1.0))
h = make(5.0)
print(use_h(1.0))
mut big = 5000000000
fn use_big(x) = x + big % 7
print(use_big(1))
big = 3
print(use_big(1))
print(pmap(outer, axis_name="i")([1.0]))
mut count = 0
fn printing(x) { print("count {count} lr {lr:.2f}"); x }
for i in 0..3 { count += 1; lr += 1; printing(1.0) }
fn scanned(xs) { mut s = 0.0; for x in xs { if x > lr { s += lr * x } else { s -= inner(x) } }; s }
print(scanned([1.0, 5.0]), grad(scanned)([1.0, 5.0]))
lr = 2.0
print(scanned([1.0, 5.0]), grad(scanned)([1.0, 5.0]))
fn interp(x) { let t = time(); inner(x) + lr }
print(interp(1.0))
lr = 3.0
print(interp(1.0))
fn rec(n) = if n == 0 { lr } else { rec(n - 1) + 1 }
print(rec(3))
lr = 4.0
print(rec(3))
fn idx(t) = t[cfg.n]
print(idx((5, "a", 7)))
cfg.n = 2
print(idx((5, "a", 7)))
print(jit(fn(x) = x + lr)(1), [lr * x for x in [1.0, 2.0]])
let (v, pull) = vjp(outer, 1.0)
print(v, pull(1.0))
print(jvp(outer, (1.0,), (1.0,)), hessian(fn(x) = outer(x) * x)(2.0))
mut third = 1 / 3
fn exact(x) = x * third
print(exact(f64(1)))
third = 0.1
print(exact(f64(3)), exact(f32(3)))

# expect: 8.0
# expect: 7.0
# expect: 3.0
# expect: 10.0
# expect: 4.0
# expect: [1, 1]
# expect: [1, 1, 1]
# expect: [2, 2]
# expect: 1.5 [4.0, 5.5] [1.5, 1.5]
# expect: 2.25 [5.0, 7.25] [2.25, 2.25]
# expect: 1.0
# expect: -1.0
# expect: 1.0
# expect: -1.0
# expect: small
# expect: big
# expect: 4.0 4.0
# expect: 16.0 16.0
# expect: [1, 1, 1, 1, 1, 1, 1, 1]
# expect: [1, 1]
# expect: 1.8
# expect: 3.0
# expect: 2.0
# expect: 5.0
# expect: 3
# expect: 4
# expect: [8]
# expect: count 1 lr 2.50
# expect: count 2 lr 3.50
# expect: count 3 lr 4.50
# expect: 17.0 [-4.5, 4.5]
# expect: 7.0 [-2, 2]
# expect: 5.0
# expect: 7.0
# expect: 6.0
# expect: 7.0
# expect: a
# expect: 7
# expect: 5.0 [4, 8]
# expect: 18.0 (12.0,)
# expect: (18.0, 12.0) 24.0
# expect: 0.3333333333333333
# expect: 0.30000000000000004 0.3
