mut n = 3
fn both() = (n, fn(x) = x)
