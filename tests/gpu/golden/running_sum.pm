# One block computes running sums of 5000 elements in three rounds of 2048; its warps exchange their sums in shared memory.
fn total(x) = cumsum(x)
total(zeros(5000))
