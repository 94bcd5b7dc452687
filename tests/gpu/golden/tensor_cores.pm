# A TF32 product by matrix instructions, in tiles of 128 x 128. The thread that sums an element applies bias and gelu to it.
fn dense(x, w, b) = nn.gelu(x @ w + b)
dense(zeros((2048, 512)), zeros((512, 1024)), zeros((1024,)))
