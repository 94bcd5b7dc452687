# A product of matrices too large for one device: A, B and C = A @ B are cut into blocks over a mesh of 4 x 4 devices, two
# nested pmaps. In iteration k the devices of column k send their block of A along their rows, those of row k their block of
# B along their columns. Every device multiplies the two blocks that it received: SUMMA (van de Geijn and Watts 1997).

let p = 4
let mesh = fn(f) = pmap(
    pmap(f, axis_name="column", in_axes=1, out_axes=1, axis_size=p, tiled=true),
    axis_name="row",
    axis_size=p,
    tiled=true,
)

## Blocks f32[m / p, k / p] and f32[k / p, n / p] of this device -> its block f32[m / p, n / p] of the product.
fn summa(a, b) {
    mut c = zeros((len(a), b.shape[1]))
    for k in tuple(0..p) { c += pbroadcast(a, "column", k) @ pbroadcast(b, "row", k) }
    c
}

## The same by two all_gathers: less code, but each device then holds p blocks of A and of B at once.
fn gathered(a, b) =
    all_gather(a, "column", axis=1, tiled=true) @ all_gather(b, "row", axis=0, tiled=true)

# Integers, so that the order of the sums does not matter.
let (ka, kb) = random.split(random.key(0))
let a = f32(random.randint(ka, (64, 32), -9, 10))
let b = f32(random.randint(kb, (32, 48), -9, 10))
for (name, product) in {summa, gathered} {
    let c = mesh(product)(a, b)
    assert(array_equal(c, a @ b), "{name} gives another product")
    let slopes = grad(fn(a, b) = sum(mesh(product)(a, b) ** 2), argnums=(0, 1))(a, b)
    assert(
        array_equal(slopes[0], 2 * c @ b.T) and array_equal(slopes[1], 2 * a.T @ c),
        "{name} has other slopes",
    )
    print("{name}: C {c.shape} is A @ B, and so are its derivatives")
}
