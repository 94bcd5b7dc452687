# The smallest of the evaluations: a function of a number and its derivative.

fn square(x) = x * x
fn double(x) = grad(square)(x)
