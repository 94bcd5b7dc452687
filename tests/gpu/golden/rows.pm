# Rows of 1000: 64 threads for each, the maximum and the sum through shared memory and within warps, then the quotients.
fn rows(x) = nn.softmax(x, axis=1)
rows(zeros((40, 1000)))
