# A derivative with respect to a static argument: the message has the argument, the reason, and arguments that have one.
# session: yes
fn scaled(n, x) = sum(pmap(fn(n, x) = n * x, static_broadcasted_argnums=0, in_axes=(none, 0))(n, x))
fn long(n, m) = sum(zeros((i32(n), i32(m))))
fn of_tree(t) = sum(zeros(i32(t.n)) + t.x)
grad(fn(f, x) = f(x))(sin, 2.0)
value_and_grad(fn(x, mode, y) = x * y, argnums=(0, 1))(1.0, "mode", 2.0)
jit(grad(fn(f, x) = f(x)))(sin, 2.0)
grad(scaled)(2.0, ones(1))
grad(pmap(fn(n, x) = n * x, static_broadcasted_argnums=0, in_axes=(none, 0)))(2.0, ones(1))
grad(long)(2.0, 3.0)
grad(long, argnums=1)(2.0, 3.0)
grad(of_tree)({n: 2.0, x: 1.0})
vjp(scaled, 2.0, ones(1))
linearize(fn(mode) = 1.0, "mode")
grad(scaled, argnums=1)(2.0, ones(1))
grad(fn(x, none_here) = x ** 2, argnums=(0, 1))(3.0, (none, ()))

# error: PM0430 "sin"
# message: `grad` is taken with respect to argument 0, `f`, which is static: it is the function `sin`
# help: differentiate another argument: argnums=1
# error: PM0430 ""mode""
# message: `value_and_grad` is taken with respect to argument 1, `mode`, which is static: it is a string
# help: differentiate another argument: argnums=0 or argnums=2
# error: PM0430
# message: `grad` is taken with respect to argument 0, `f`, which is static: it is the function `sin`
# error: PM0430 "2.0"
# message: `grad` is taken with respect to argument 0, `n`, which is static: its value decides how `scaled` is compiled
# help: differentiate another argument: argnums=1
# error: PM0430 "2.0"
# message: `grad` is taken with respect to argument 0, which is static: its value decides how `pmap(fn)` is compiled
# error: PM0430 "2.0"
# help: differentiate another argument: argnums=1
# error: PM0430 "3.0"
# message: `grad` is taken with respect to argument 1, `m`, which is static: its value decides how `long` is compiled
# help: give what is static in an argument of its own, which `argnums` leaves out
# error: PM0430 "{n: 2.0, x: 1.0}"
# message: `grad` is taken with respect to argument 0, `t.n`, which is static: its value decides how `of_tree` is compiled
# help: give what is static in an argument of its own, which `argnums` leaves out
# error: PM0430 "vjp(scaled, 2.0, ones(1))"
# message: `vjp` is taken with respect to argument 0, `n`, which is static: its value decides how `scaled` is compiled
# help: let a function of the others hold it: fn(x) = scaled(n, x)
# error: PM0430
# message: `linearize` is taken with respect to argument 0, `mode`, which is static: it is a string
# help: give what is differentiated as an argument, in floating numbers
# expect: [2]
# expect: (6.0, (none, ()))
