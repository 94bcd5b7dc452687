# devices: 2
fn f(y) = pmap(fn(x, k) = x + k, static_broadcasted_argnums=1)(arange(2.0), y[0])
print(jit(f)(ones(2)))

# error: PM0274 "y[0]"
# message: what is static (argument 1, `k`, f32) must be known before the program runs, but it is computed from the elements of an array
