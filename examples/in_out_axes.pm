# in_axes says along which axes arguments are cut, out_axes along which axes results are joined.

fn scale(x, k) = x * k
fn looked(x, k) {
    print("  f sees {x.shape}")
    x * k
}

let data = arange(12.0).reshape(4, 3)

# Mapped (the default): f gets a row, without the mapped axis. `none` gives every device the whole value.
print("mapped, rows of {data.shape}:")
let mapped = pmap(looked, in_axes=(0, none), out_axes=0)(data, 10.0)
print("{mapped}, shape {mapped.shape}")

# Tiled: f gets its device's block, which keeps the axis; results are concatenated.
print("tiled in 2 blocks:")
let tiled = pmap(looked, in_axes=(0, none), out_axes=0, axis_size=2, tiled=true)(data, 10.0)
print("{tiled}, shape {tiled.shape}")

print("tiled in 4 blocks, (8, 100):")
let halves = pmap(
    fn(x) {
        print("  f sees {x.shape}")
        x[:, ::2]
    },
    axis_size=4,
    tiled=true,
)(zeros((8, 100)))
print("results come back as {halves.shape}")

# Other axes: columns in, columns out. Negative axes count from the end.
let table = arange(12.0).reshape(3, 4)
print("columns: {array_equal(pmap(fn(c) = c + 1, in_axes=1, out_axes=1)(table), table + 1)}")
print("transposed: {array_equal(pmap(fn(c) = c, in_axes=-1, out_axes=0)(table), table.T)}")

# Trees: in_axes and out_axes may follow the structure of arguments and results.
fn affine(p, x) = (x * p.scale + p.shift, sum(p.scale))
let p = {scale: [1.0, 2.0, 3.0], shift: arange(4.0)}
let (rows, total) = pmap(affine, in_axes=({scale: none, shift: 0}, 0), out_axes=(0, none))(p, data)
print("rows {rows}")
print("total {total}, shape {total.shape}")
