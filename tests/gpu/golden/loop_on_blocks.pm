# A loop over large steps: blocks that meet through memory, and a product in tiles that the blocks share out.
fn layers(x, w) {
    mut x = x
    for i in 0..300 { x = tanh(x @ w + x.T) * 0.5 + f32(i) }
    x
}
layers(zeros((200, 200)), zeros((200, 200)))
