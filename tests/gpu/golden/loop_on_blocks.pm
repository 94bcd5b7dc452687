# A loop over large steps: blocks synchronise through memory, and divide the tiles of a product among them.
fn layers(x, w) {
    mut x = x
    for i in 0..300 { x = tanh(x @ w + x.T) * 0.5 + f32(i) }
    x
}
layers(zeros((200, 200)), zeros((200, 200)))
