# Writes tests/lang/programs/collectives_dtypes.pm: the results of JAX's collectives for each dtype, under pmap and under vmap.
# python3 tests/oracle/collective_dtypes.py > tests/lang/programs/collectives_dtypes.pm   (jax 0.10.2, CPU)
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)

rows = [[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]
groups, unequal = [[0, 2], [3, 1]], [[2], [3, 0, 1]]
# name, here, there
collectives = [
    ("psum", 'psum(a, "i")', lambda a: lax.psum(a, "i")),
    ("pmean", 'pmean(a, "i")', lambda a: lax.pmean(a, "i")),
    ("pmax", 'pmax(a, "i")', lambda a: lax.pmax(a, "i")),
    ("pmin", 'pmin(a, "i")', lambda a: lax.pmin(a, "i")),
    ("all_gather", 'all_gather(a, "i")', lambda a: lax.all_gather(a, "i")),
    ("all_gather tiled", 'all_gather(a, "i", tiled=true)', lambda a: lax.all_gather(a, "i", tiled=True)),
    ("psum_scatter", 'psum_scatter(a, "i")', lambda a: lax.psum_scatter(a, "i")),
    ("psum_scatter tiled", 'psum_scatter(a, "i", tiled=true)', lambda a: lax.psum_scatter(a, "i", tiled=True)),
    ("ppermute", 'ppermute(a, "i", ((0, 1), (2, 0)))', lambda a: lax.ppermute(a, "i", [(0, 1), (2, 0)])),
    ("pshuffle", 'pshuffle(a, "i", (1, 3, 0, 2))', lambda a: lax.pshuffle(a, "i", [1, 3, 0, 2])),
    ("pswapaxes", 'pswapaxes(a, "i", 0)', lambda a: lax.pswapaxes(a, "i", 0)),
    ("all_to_all tiled", 'all_to_all(a, "i", 0, 0, tiled=true)', lambda a: lax.all_to_all(a, "i", 0, 0, tiled=True)),
    ("psum of a number", 'psum(1, "i") * a', lambda a: lax.psum(1, "i") * a),
    ("axis_index", 'axis_index("i") + a', lambda a: lax.axis_index("i") + a),
    ("psum of groups", 'psum(a, "i", axis_index_groups=groups)', lambda a: lax.psum(a, "i", axis_index_groups=groups)),
    ("psum of unequal groups", 'psum(a, "i", axis_index_groups=unequal)', lambda a: lax.psum(a, "i", axis_index_groups=unequal)),
    ("pmean of groups", 'pmean(a, "i", axis_index_groups=groups)', lambda a: lax.pmean(a, "i", axis_index_groups=groups)),
    ("pmax of unequal groups", 'pmax(a, "i", axis_index_groups=unequal)', lambda a: lax.pmax(a, "i", axis_index_groups=unequal)),
    ("pmin of groups", 'pmin(a, "i", axis_index_groups=groups)', lambda a: lax.pmin(a, "i", axis_index_groups=groups)),
    ("all_gather of groups", 'all_gather(a, "i", axis_index_groups=groups)', lambda a: lax.all_gather(a, "i", axis_index_groups=groups)),
    ("psum_scatter of groups", 'psum_scatter(a, "i", tiled=true, axis_index_groups=groups)', lambda a: lax.psum_scatter(a, "i", tiled=True, axis_index_groups=groups)),
    ("all_to_all of groups", 'all_to_all(a, "i", 0, 0, tiled=true, axis_index_groups=groups)',
     lambda a: lax.all_to_all(a, "i", 0, 0, tiled=True, axis_index_groups=groups)),
    ("psum of a number of groups", 'psum(1, "i", axis_index_groups=groups) * a', lambda a: lax.psum(1, "i", axis_index_groups=groups) * a),
]
dtypes = dict(bool="bool", i8="int8", i32="int32", i64="int64", u8="uint8", u32="uint32", f16="float16", bf16="bfloat16", f32="float32", f64="float64", c64="complex64", c128="complex128")
named = {there: here for here, there in dtypes.items()}


def spelled(y):
    y = np.asarray(y)
    dtype = named[str(y.dtype)]
    flat = y.ravel()
    if dtype == "bool": parts = ["true" if v else "false" for v in flat]
    elif dtype in ("c64", "c128"): parts = [f"complex({float(v.real)}, {float(v.imag)})" for v in flat]
    elif dtype[0] in "iu": parts = [str(int(v)) for v in flat]
    else: parts = [repr(float(v)) for v in flat]
    made = f"[{', '.join(parts)}]"
    return (made if dtype == "bool" else f"{dtype}({made})") + f".reshape({y.shape})"


print('''# What JAX's collectives give for each dtype: bools are counted, whole numbers wrap around, halves are added up in f32.
# Made by tests/oracle/collective_dtypes.py.
# devices: 1 2 4 8
# configs: compiled evaluate verified
let groups = ((0, 2), (3, 1))
let unequal = ((2,), (3, 0, 1))
fn check(what, x, f, due) {
    for map in (pmap, vmap) {
        let got = map(f, axis_name="i")(x)
        assert(got.dtype == due.dtype and array_equal(got, due), "{what}: {got.dtype} {got}, expected {due.dtype} {due}")
    }
}
''')
for dtype, theirs in dtypes.items():
    x = np.array(rows)
    if dtype == "bool": x = x % 2 == 1
    elif dtype in ("i8", "u8"): x = x * 30
    elif dtype == "u32": x = x * 500_000_000
    elif dtype in ("f16", "bf16"): x = np.array(rows) * 64 + 0.25 * (np.array(rows) < 4)
    elif dtype in ("c64", "c128"): x = x * (1 + 2j)
    x = jnp.asarray(x).astype(theirs)
    print(f"let x_{dtype} = {spelled(x)}")
    for name, here, there in collectives:
        if dtype in ("c64", "c128") and name[:4] in ("pmax", "pmin"): continue  # complex numbers have no order here
        if dtype == "bool" and "of a number" in name: continue  # JAX's default dtype depends on jax_enable_x64
        found = []
        for map in (jax.pmap, jax.vmap):
            try:
                found.append(map(there, axis_name="i")(x))
            except Exception:
                pass
        if not found: continue  # refused in both forms: a sum of bools that keeps their dtype
        assert all(y.dtype == found[0].dtype and np.array_equal(y, found[0]) for y in found), (dtype, name)
        print(f'check("{dtype} {name}", x_{dtype}, fn(a) = {here}, {spelled(found[0])})')
print('print("done")')
print("# expect: done")
