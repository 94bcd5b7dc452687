let offset = 10
fn twice(x) = 2 * x + offset
