let step = pmap(fn(w) = 2.0 * w, donate_argnums=0)
fn use(x) {
    write_text("/dev/null", "a")
    let w = x + 1.0
    let r = step(w)
    let h = fn() = w
    h()
}
print(use(ones((1, 3))))
# error: PM0318
