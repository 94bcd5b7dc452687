# The message names the leaf that has no derivative.
fn loss(x, p) = sum(p.w * x) + p.more.1 * p.more.0
print(grad(loss, argnums=1)(1.0, {w: ones(3), more: (2.0, arange(3))}))

# error: PM0410 "{w: ones(3), more: (2.0, arange(3))}"
# message: `grad` is taken with respect to argument 1, `p.more.1`, which is i32[3]; derivatives need a floating type
# help: convert it: f32(x)
# help: or give what stays as it is in an argument of its own, which `argnums` leaves out
# help: or differentiate another argument: argnums=0
