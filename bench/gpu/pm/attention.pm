import "../../pm/timing.pm" as timing
import "sizes.pm" as sizes

let (batch, heads, width) = (sizes.scaled(8), sizes.scaled(16, 2), 64)
let length = sizes.scaled(1024, 16)
let (kq, kk, kv) = random.split(random.key(0), 3)
let shape = (batch, heads, length, width)
let (q, k, v) = (random.normal(kq, shape), random.normal(kk, shape), random.normal(kv, shape))
let f = jit(fn(q, k, v) = nn.attention(q, k, v, mask=nn.causal_mask(length)))
timing.steady("causal attention, {batch} x {heads} x {length} x {width} f32", fn() = f(q, k, v), 15)
let g = jit(grad(fn(q, k, v) = sum(nn.attention(q, k, v, mask=nn.causal_mask(length))), (0, 1, 2)))
timing.steady("gradient of causal attention", fn() = g(q, k, v), 15)
