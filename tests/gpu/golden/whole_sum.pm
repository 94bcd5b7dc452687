# All blocks compute one sum of many elements: 64 threads sum each 16384 elements, then a warp adds these sums in order.
fn whole(x) = sum(x * x) + 1
whole(zeros(1000000))
