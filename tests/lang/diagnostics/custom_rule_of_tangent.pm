# The first result of a rule must not depend on tangents, also not by way of a loop or a called function.
fn wave(x) = x * 3
fn add(x, t) {
    mut total = x * 3
    for i in range(2) { total = total + 0 * t }
    total
}
let f = custom_jvp(wave, fn(p, t) = (add(p.0, t.0), 3 * t.0))
print(grad(f)(2.0))

# error: PM0422 "grad(f)(2.0)"
# message: the rule of `wave` must give the result that `wave` gives, f32, but gives one that depends on a tangent
# help: compute the first entry of what the rule returns from the arguments alone
