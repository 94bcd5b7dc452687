# An error that is found before the program runs names the calls that led to it. A call of the library is one call.
fn layer(w, x) = nn.relu(w @ x)
fn model(p, x) {
    let hidden = layer(p.first, x)
    layer(p.second, hidden)
}
fn loss(p, xs) = mean(vmap(fn(x) = sum(model(p, x)))(xs))
let p = {first: ones((4, 3)), second: ones((2, 5))}
grad(loss)(p, ones((8, 3)))

# error: PM0278 "w @ x"
# message: `@` needs equal inner sizes, got 5 and 4
# calls: 5:5 7:40 9:1
