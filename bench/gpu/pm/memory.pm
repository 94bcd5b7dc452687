# What the memory of the device bounds: copies, elementwise work and reductions.
import "../../pm/timing.pm" as timing
import "sizes.pm" as sizes

let (rows, columns) = (sizes.scaled(16384, 4), 4096)
let x = random.uniform(random.key(0), (rows, columns))
let size = "{rows} x {columns} f32"

let copied = jit(fn(x) = -x)
timing.steady("copy (negation), {size}", fn() = copied(x), 25)
let chain = jit(fn(x) = tanh(x * 2 + 1) * exp(-x * x) + sqrt(abs(x)) * 0.5)
timing.steady("fused elementwise chain, {size}", fn() = chain(x), 25)
let total = jit(fn(x) = sum(x))
timing.steady("sum of all, {size}", fn() = total(x), 25)
let by_rows = jit(fn(x) = sum(x, axis=1))
timing.steady("sums of rows, {size}", fn() = by_rows(x), 25)
let by_columns = jit(fn(x) = sum(x, axis=0))
timing.steady("sums of columns, {size}", fn() = by_columns(x), 25)
let softmax = jit(fn(x) = nn.softmax(x))
timing.steady("softmax of rows, {size}", fn() = softmax(x), 25)
let normalised = jit(fn(x) = nn.standardize(x))
timing.steady("layer norm of rows, {size}", fn() = normalised(x), 25)
