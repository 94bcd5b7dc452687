# A stack of l small recurrent layers reads c characters, each a row of b bits, and predicts the next one: the mean
# loss, and its gradient with respect to all parameters. The weights are diagonal, so a layer is elementwise.
#
# main_params has two rows for each layer, the weights and the biases of its four gates (forget, in, out, change). state has two rows,
# the hidden values and the cells. extra_params has the weights of the input, and the weights and biases of the output.

fn layer((weight, bias), (hidden, cell), x) {
    let (forget, into, out, change) = stack((x, hidden, x, hidden)) * weight + bias
    let cell = cell * nn.sigmoid(forget) + nn.sigmoid(into) * tanh(change)
    (nn.sigmoid(out) * tanh(cell), cell)
}

fn loss(
    (main, extra): (f64[rows, 4 * b], f64[3, b]),
    state: f64[rows, b],
    sequence: f64[c, b],
) {
    let (in_weight, out_weight, out_bias) = extra
    let l = rows // 2
    let layers = main.reshape(l, 2, 4, b)
    mut state = state.reshape(l, 2, b)
    mut total = 0.0
    for (now, next) in zip(sequence[:-1], sequence[1:]) {
        mut x = now * in_weight
        for i in 0..l {
            let (hidden, cell) = layer(layers[i], state[i], x)
            state[i] = stack((hidden, cell))
            x = hidden
        }
        let guess = x * out_weight + out_bias
        total += sum(next * (guess - log(2 + sum(exp(guess)))))
    }
    -total / ((c - 1) * b)
}

fn objective({main_params, extra_params, state, sequence}) =
    loss((main_params, extra_params), state, sequence)

fn jacobian({main_params, extra_params, state, sequence}) {
    let (main, extra) = grad(loss)((main_params, extra_params), state, sequence)
    concatenate((main.ravel(), extra.ravel()))
}
