# A weak carried value gets the dtype of the values assigned to it, through chains of assignments of any length.
let one16 = ones(1, dtype=f16)
fn start(n, x) = (0.0 for i in 0..n) + (x,)
fn moved(t) = (t[i + 1] * 0.9 for i in 0..len(t) - 1) + (t[-1],)
fn chain(x) { mut t = start(130, x); for k in range(140) { t = moved(t) }; t[0] }
fn counted(x) { mut t = start(130, x); mut k = 0; while k < 140 { t = moved(t); k += 1 }; t[0] }
fn through(x) {
  mut t = start(40, x)
  for k in range(50) {
    if k % 2 == 0 { t = moved(t) } else { for j in range(2) { t = moved(t) } }
    t = tree_map(fn(v) = where(k > 3, v, v + 1.0), t)
  }
  t[0]
}
for f in (chain, counted, through) { for x in (f32(2.0), f64(2.0)) { print(f(x).dtype == x.dtype, f(x)) } }
let derivative = grad(chain)(f32(1.0))
print(abs(derivative - 0.9 ** 130) < 1e-9)

# A comparison or an index does not pass a dtype to the assigned value.
fn apart(x) {
  mut (a, b, c, d) = (0.0, 0.0, 0.0, 0.0)
  for k in range(3) {
    d = b * 0.5
    c = where(b > 1.0, c + 1.0, 2.0)
    b = a + 1.0
    a = x
  }
  (b * one16, c * one16, d * one16)
}
for v in apart(f64(2.0)) { print(v.dtype) }
for v in apart(2.0) { print(v.dtype) }
# A branch on a dtype may be decided differently after the dtype of a carried value has changed.
fn other_way(x) {
  mut (a, b, c) = (0.0, 0.0, 0.0)
  for k in range(3) {
    c = b * 2.0
    b = if a.dtype == f64 { 0.5 } else { a + 1.0 }
    a = x
  }
  (b * one16, c * one16)
}
for v in other_way(f64(2.0)) { print(v.dtype, v) }
for v in other_way(f32(2.0)) { print(v.dtype, v) }
# A carried value that is assigned values of two types has the wider type.
fn wider(x, y) { mut (a, b, c) = (0.0, 0.0, 0.0); for k in range(4) { a = b + c; b = x; c = y }; a }
print(wider(f32(1.0), f64(2.0)).dtype, wider(f64(1.0), f32(2.0)).dtype)

# expect: true 2.251929e-06
# expect: true 2.251936928509753e-06
# expect: true 2.251929e-06
# expect: true 2.251936928509753e-06
# expect: true 0.08868521
# expect: true 0.08868529764860762
# expect: true
# expect: f64
# expect: f16
# expect: f64
# expect: f16
# expect: f16
# expect: f16
# expect: f16 [0.5]
# expect: f16 [1]
# expect: f32 [3]
# expect: f32 [6]
# expect: f64 f64
