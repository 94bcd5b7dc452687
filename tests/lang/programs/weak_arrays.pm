# An array of integers times 0.5 is weak, at the top level as in compiled code; integers of 64 bits become f64.
let a = arange(3)
let h = f16([1.0, 2, 3])
print((a * 1.5 + h).dtype, (i64(a) * 1.5 + h).dtype)
fn f(a, h) = (a * 1.5 + h)
print(f(a, h).dtype, f(i64(a), h).dtype, jit(fn(a, h) = a * 1.5 + h)(a, h).dtype)
# expect: f16 f16
# expect: f16 f16 f16

# Parts of a weak array are weak.
fn parts(a, h) = ((a * 1.5)[1] + h, [v + h for v in a * 1.5], (a * 1.5)[0:2] + h[0:2])
let (one, each, some) = jit(parts)(a, h)
print(one.dtype, each.dtype, some.dtype)
print(((a * 1.5)[1] + h).dtype, [(v + h).dtype for v in a * 1.5], ((a * 1.5)[0:2] + h[0:2]).dtype)
# expect: f16 f16 f16
# expect: f16 f16 f16

# The result of a condition is not weak if one of the branches is not weak.
fn chosen(c, x, h) = (if c > 0 { x } else { 1.0 }) + h
print(jit(chosen)(array(1), f32(2), h).dtype, jit(chosen)(array(1), f64(2), h).dtype, jit(fn(c, h) = chosen(c, 2.0, h))(array(1), h).dtype)
# expect: f32 f64 f16
