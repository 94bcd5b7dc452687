# In functions that are never called, calls that fail for all arguments are found.
# command: check
# configs: compiled
import nn as layers
fn two(a, b, scale=1.0) = (a + b) * scale
fn many(first, *rest) = first
mut changed = fn(x) = x
fn calls(x, f, options) {
    let y = nn.layer_normm(x)
    let z = layers.rmsnorm(x)
    let m = linalg.qrr
    let (a, b, c) = (two(x), two(x, 1, 2, 3), two(x, 1, scal=2))
    let d = sum(x, axs=0)
    let e = (zeros(2, 3, 4), concatenate(), f32(1, 2))
    let g = vmap(f, in_axs=0)
    let h = optim.adam(learning=0.1)
    fn local(u) = u
    let lambda = fn(v, w) = v + w
    (local(1, 2), lambda(1), step(x), step(x, 1, scal=2), grad(two)(x), vmap(jit(two), in_axes=0)(x), (fn(v) = v)())
}
let step = jit(two)
fn right(x, f, options, two) {
    let nn = {layer_normm: f}
    let sum = f
    let args = (1, 2)
    print(nn.layer_normm(x), sum(x, axs=0), two(x), changed(1, 2, 3), f(1, 2), many(1, 2, 3), options.f(1))
    let two = fn(a) = a
    let (value, pullback) = vjp(step, x, x)
    (two(x), step(x, 1, scale=2), pullback(1.0), grad(step, argnums=1)(x, x), jit(f)(1, 2, 3, axs=4))
}
fn spread(args) = (two(*args), many(*args), two(1, *args, scale=2), sum(*args))
fn shadowed(x) {
    mut two = fn(a) = a
    for sum in x { sum(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) }
    [two(1) for two in x]
}
fn wrong_option(args) = two(*args, scal=2)
test "calls" { let u = two(1, 2, 3, 4) }
if args == () { print(two()) }
# error: PM0107 "layer_normm"
# message: the module `nn` has no field `layer_normm`
# caret: did you mean `layer_norm`?
# error: PM0107 "rmsnorm"
# caret: did you mean `rms_norm`?
# error: PM0107 "qrr"
# caret: did you mean `qr`?
# error: PM0103 "two(x)"
# message: `two` takes 2 to 3 arguments, got 1
# error: PM0103 "two(x, 1, 2, 3)"
# error: PM0104 "scal"
# message: `two` has no argument named `scal`
# help: did you mean `scale`?
# error: PM0104 "axs"
# error: PM0103 "zeros(2, 3, 4)"
# error: PM0103 "concatenate()"
# error: PM0103 "f32(1, 2)"
# error: PM0104 "in_axs"
# error: PM0104 "learning"
# error: PM0103 "local(1, 2)"
# error: PM0103 "lambda(1)"
# error: PM0103 "step(x)"
# message: `two` takes 2 to 3 arguments, got 1
# error: PM0104 "scal"
# error: PM0103 "grad(two)(x)"
# error: PM0103 "vmap(jit(two), in_axes=0)(x)"
# error: PM0103 "(fn(v) = v)()"
# error: PM0104 "scal"
# error: PM0103 "two(1, 2, 3, 4)"
# error: PM0103 "two()"
