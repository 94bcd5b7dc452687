import "../../pm/timing.pm" as timing
import "sizes.pm" as sizes

let n = sizes.scaled(4096, 16)
let (ka, kb) = random.split(random.key(0))
let a = random.normal(ka, (n, n))
let b = random.normal(kb, (n, n))
let product = jit(fn(a, b) = a @ b)
timing.steady("matrix product {n}, f32", fn() = product(a, b), 15)
let exact = jit(fn(a, b) = matmul(a, b, precision="highest"))
timing.steady("matrix product {n}, f32, highest precision", fn() = exact(a, b), 15)
let (a, b) = (bf16(a), bf16(b))
timing.steady("matrix product {n}, bf16", fn() = product(a, b), 15)
