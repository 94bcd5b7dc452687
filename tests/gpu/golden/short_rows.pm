# Rows of 10: half a warp for each, and no shared memory.
fn short_rows(x) = nn.logsumexp(x, axis=1)
short_rows(zeros((40, 10)))
