# Running sums of 5000 by one block: three rounds of 2048, whose warps add up their parts and pass the sums on in shared memory.
fn total(x) = cumsum(x)
total(zeros(5000))
