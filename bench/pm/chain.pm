import "timing.pm" as timing
fn f(x) = tanh(x * 2 + 1) * exp(-x * x) + sqrt(abs(x)) * 0.5
let x = arange(16777216.0) / 16777216
timing.steady("fused elementwise chain, 16M f32", fn() = f(x), 15)
