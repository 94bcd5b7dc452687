# The part of the program that is written in Polymap: a model, its loss, and the derivative of the loss.
fn model({w, b}, x) = tanh(x @ w.hidden + b.hidden) @ w.out + b.out

fn loss(params, x, y) {
    let error = model(params, x) - y
    mean(error ** 2)
}

let step = value_and_grad(loss)
