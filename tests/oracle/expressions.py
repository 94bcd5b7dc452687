# Writes a program that compares expressions of the language with values of JAX, NumPy and SciPy. Used by prelude_values.py, module_values.py and complex_values.py.
import jax
import numpy as np

short = {"bool": "bool", "uint8": "u8", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int32": "i32", "uint32": "u32",
         "complex64": "c64", "complex128": "c128"}


def dtype_of(value):
    """The dtype that the result must have: that of JAX. Results of NumPy and SciPy have 64 bits; the language returns 32 bits, as its arguments have."""
    name = str(np.asarray(value).dtype)
    if not isinstance(value, jax.Array): name = {"float64": "float32", "int64": "int32", "complex128": "complex64"}.get(name, name)
    return short[name]


def text(value):
    dtype, value = dtype_of(value), np.asarray(value)

    def one(n):
        if np.iscomplexobj(value) and not isinstance(n, float): return f"complex({one(float(n.real))}, {one(float(n.imag))})"
        if value.dtype == bool: return "true" if n else "false"
        if np.isnan(n): return "nan"
        if np.isinf(n): return "inf" if n > 0 else "-inf"
        if np.issubdtype(value.dtype, np.integer): return repr(int(n))
        n = float(n) if dtype in ("f64", "c128") else float(np.float32(n))
        return repr(n) if abs(n) < 1e16 else f"{n:.9e}"

    flat = "[" + ", ".join(one(n) for n in value.ravel()) + "]"
    return f"{dtype}({flat})" if dtype in ("f64", "c128") else flat, "(" + "".join(f"{n}, " for n in value.shape) + ")", dtype


def write(name, setup, pairs, names):
    """Prints the program. setup: (name, in the language, in Python); pairs: (in the language, in Python)."""
    print(f"# Made by {name}.py: the values of the same expressions elsewhere. pm run tests/oracle/{name}.pm")
    print("""
fn check(name, found, values, shape, dtype) {
    assert(found.shape == shape, "{name}: shape {found.shape}, expected {shape}")
    assert(found.dtype == dtype, "{name}: dtype {found.dtype}, expected {dtype}")
    let flat = found.reshape(-1)
    let (rtol, atol) = if dtype == f64 or dtype == c128 { (1e-10, 1e-12) } else { (2e-5, 2e-6) }
    let same = if dtype == bool { all(flat == values) } else { allclose(flat, values, rtol=rtol, atol=atol, equal_nan=true) }
    assert(same, "{name}: {flat}, expected {values}")
}
""")
    for known, ours, theirs in setup:
        names[known] = eval(theirs, names)
        print(f"let {known} = {ours}")
    print()
    for ours, theirs in pairs:
        try: values, shape, dtype = text(eval(theirs, names))
        except Exception as e: raise RuntimeError(theirs) from e
        label = ours.replace("\\", "").replace('"', "'").replace("{", "(").replace("}", ")")
        print(f'check("{label}", array({ours}), {values}, {shape}, {dtype})')
    print(f'print("{len(pairs)} expressions have the values expected")')
