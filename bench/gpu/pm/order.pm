# Random numbers, and sorting.
import "../../pm/timing.pm" as timing
import "sizes.pm" as sizes

let n = sizes.scaled(2 ** 24, 64)
let key = random.key(0)
let uniform = jit(fn(key) = random.uniform(key, (n,)))
timing.steady("{n} uniform random numbers", fn() = uniform(key), 15)
let normal = jit(fn(key) = random.normal(key, (n,)))
timing.steady("{n} normal random numbers", fn() = normal(key), 15)
let x = uniform(key)
let sorted = jit(fn(x) = sort(x))
timing.steady("sort of {n} f32", fn() = sorted(x), 7)
