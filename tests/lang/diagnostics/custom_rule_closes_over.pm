fn loss(w) {
    let f = custom_vjp(sin, fn(x) = (sin(x), x), fn(x, g) = (g * w,))
    f(w)
}
print(grad(loss)(2.0))

# error: PM0426 "f(w)"
# message: `sin` closes over a value that is being differentiated
