# Rows of 1000 elements: 64 threads per row find maximum and sum, in shared memory and within warps, then divide.
fn rows(x) = nn.softmax(x, axis=1)
rows(zeros((40, 1000)))
