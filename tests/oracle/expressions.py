# Writes a program that compares expressions of the language with values computed here. Used by prelude_values.py and module_values.py.
import numpy as np


def text(value):
    value = np.asarray(value)

    def one(n):
        if value.dtype == bool: return "true" if n else "false"
        if np.isnan(n): return "nan"
        if np.isinf(n): return "inf" if n > 0 else "-inf"
        return repr(int(n)) if np.issubdtype(value.dtype, np.integer) else repr(float(np.float32(n))) if abs(n) < 1e16 else f"{float(np.float32(n)):.9e}"

    flat = ", ".join(one(n) for n in value.ravel())
    return "[" + flat + "]", "(" + "".join(f"{n}, " for n in value.shape) + ")"


def write(name, setup, pairs, names):
    """setup: (name, in the language, in Python), pairs: (in the language, in Python); prints the program."""
    print(f"# Made by {name}.py: what JAX gives for the same expressions. pm run tests/oracle/{name}.pm")
    print("""
fn check(name, found, values, shape) {
    assert(found.shape == shape, "{name}: shape {found.shape}, JAX has {shape}")
    let flat = found.reshape(-1)
    let same = if flat.dtype == bool { all(flat == values) } else { allclose(flat, values, rtol=2e-5, atol=2e-6, equal_nan=true) }
    assert(same, "{name}: {flat}, JAX has {values}")
}
""")
    for known, ours, theirs in setup:
        names[known] = eval(theirs, names)
        print(f"let {known} = {ours}")
    print()
    for ours, theirs in pairs:
        values, shape = text(eval(theirs, names))
        label = ours.replace("\\", "").replace('"', "'").replace("{", "(").replace("}", ")")
        print(f'check("{label}", array({ours}), {values}, {shape})')
    print(f'print("{len(pairs)} expressions have JAX\'s values")')
