# optim.minimize prints each iteration whose number `report` divides. ode.odeint has JAX's tolerances in f64.
let f = fn(x) = sum((x - 2) ** 4)
print(optim.minimize(f, zeros(2), report=4).iterations == optim.minimize(f, zeros(2)).iterations)
print(attempt(fn() = optim.minimize(f, zeros(2), report=-1)).ok)
let turn = fn(y, t) = stack((y[1], -y[0]))
let error = abs(ode.odeint(turn, f64([1, 0]), f64([0, 20 * pi]))[-1] - f64([1, 0]))
print(max(error) < 2e-6, max(error) > 1e-9)

# expect: iteration 4: value 0.225907, gradient 0.779
# expect: iteration 8: value 0.002489, gradient 0.0265
# expect: iteration 12: value 2.76672e-05, gradient 0.000907
# expect: true
# expect: false
# expect: true true
