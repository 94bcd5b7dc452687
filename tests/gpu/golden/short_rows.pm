# Rows of 10 elements: half a warp for each row, and no shared memory.
fn short_rows(x) = nn.logsumexp(x, axis=1)
short_rows(zeros((40, 10)))
