# An exact product in tiles in shared memory; the thread that sums an element also applies bias and relu to it.
fn dense(x, w, b) = nn.relu(matmul(x, w, precision="highest") + b)
dense(zeros((96, 64)), zeros((64, 128)), zeros((128,)))
