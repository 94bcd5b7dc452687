import "timing.pm" as timing
let (ka, kb) = random.split(random.key(0))
let a = random.normal(ka, (1024, 1024))
let b = random.normal(kb, (1024, 1024))
fn f(a, b) = a @ b
timing.steady("matrix product 1024", fn() = f(a, b), 25)
