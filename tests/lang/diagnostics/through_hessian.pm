# For library functions that differentiate, the message says that the error's line was reached through them, as it does
# for `grad`. The message does not name the transformations that these functions use.
# session: yes
fn f(x) = sum(x + ones(4))
fn g(x) = sum(vmap(fn(row) = row + ones(4))(x))
let x = ones(3)
grad(f)(x)
hessian(f)(x)
jacfwd(f)(x)
jacrev(f)(x)
jacobian(f, argnums=(0,))(x)
jacfwd(jacrev(f))(x)
hvp(f, x, x)
vjp(f, x)
jvp(f, (x,), (x,))
linearize(f, x)
grad(fn(x) = sum(hessian(f)(x)))(x)
hessian(g)(ones((2, 3)))
vmap(hessian(f))(ones((2, 3)))

# error: PM0204 "x + ones(4)"
# note: through `grad(f)`
# error: PM0204 "x + ones(4)"
# note: through `hessian(f)`
# error: PM0204 "x + ones(4)"
# note: through `jacfwd(f)`
# error: PM0204 "x + ones(4)"
# note: through `jacrev(f)`
# error: PM0204 "x + ones(4)"
# note: through `jacobian(f)`
# error: PM0204 "x + ones(4)"
# note: through `jacfwd(jacrev(f))`
# error: PM0204 "x + ones(4)"
# note: through `hvp(f)`
# error: PM0204 "x + ones(4)"
# note: through `vjp(f)`
# error: PM0204 "x + ones(4)"
# note: through `jvp(f)`
# error: PM0204 "x + ones(4)"
# note: through `linearize(f)`
# error: PM0204 "x + ones(4)"
# note: through `hessian(f)`
# note: through `grad(fn)`
# error: PM0204 "row + ones(4)"
# note: through `vmap(fn)`
# note: through `hessian(g)`
# error: PM0204 "x + ones(4)"
# note: through `vmap(hessian(f))`
