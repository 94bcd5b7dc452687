# A sum of many elements by all blocks: those of 16384 elements by 64 threads each, then their sums in order by a warp.
fn whole(x) = sum(x * x) + 1
whole(zeros(1000000))
