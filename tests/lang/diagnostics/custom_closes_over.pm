fn loss(w) {
    let f = custom_jvp(fn(x) = w * x, fn(p, t) = (w * p.0, w * t.0))
    f(w)
}
print(grad(loss)(2.0))

# error: PM0426 "f(w)"
# message: `fn` closes over a value that is being differentiated
# help: pass it as an argument
