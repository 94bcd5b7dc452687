# What a transformation refuses inside of a library function stands at the call of that function.
import ode
fn loss(w) = ode.odeint(fn(y, t) = -w * y, 1.0, array((0.0, 1.0)))[-1]
print(grad(loss)(2.0))

# error: PM0802 "ode.odeint(fn(y, t) = -w * y, 1.0, array((0.0, 1.0)))"
# caret: the derivative passes through this loop
