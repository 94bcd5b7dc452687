"""Writes library.values: JAX's values of every expression of library.txt. Run with a Python that has jax:

    python tests/oracle/library.py

Each line of the output is an expression, a tab, and its leaves: dtype, shape and values. The texts are evaluated as Python after
small changes (fn(..) = becomes lambda; true, none and the dtypes are names), in the names of jax, jax.lax, jax.numpy and jax.ops.
"""
import pathlib
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

here = pathlib.Path(__file__).parent
names = {}
for module in (jax.ops, jax.lax, jax.numpy):
    names.update({k: getattr(module, k) for k in dir(module) if not k.startswith("_")})
dtypes = dict(i8="int8", i16="int16", i32="int32", u8="uint8", u16="uint16", u32="uint32", f16="float16", bf16="bfloat16", f32="float32")
dtypes["bool"] = "bool"
names.update({k: getattr(jnp, v) if v != "bool" else jnp.bool_ for k, v in dtypes.items()})
names.update(true=True, false=False, none=None, nan=float("nan"), inf=float("inf"), len=len, range=range)
names.update({k: getattr(jax, k) for k in ("grad", "vmap", "jit", "random")})
names.update(sigmoid=jax.nn.sigmoid, select=lax.select, clamp=lax.clamp, map=lax.map, logistic=lax.logistic,
             key_data=lambda k: jax.random.key_data(k), wrap_key_data=jax.random.wrap_key_data)
short = {np.dtype(getattr(jnp, v) if v != "bool" else bool): k for k, v in dtypes.items()}


def python(text):
    text = re.sub(r"fn\(([^)]*)\) = ", r"lambda \1: ", text)
    return text.replace("random.bits(", "bits(")


def bits(key, shape=(), dtype=None):
    return jax.random.bits(key, shape, dtype or jnp.uint32)


names["bits"] = bits


def leaf_text(leaf):
    a = np.asarray(jnp.asarray(leaf))
    kind = short[a.dtype]
    flat = a.reshape(-1)
    values = [repr(float(v)) if "f" in kind else str(int(v)) for v in flat]
    return f"{kind}[{','.join(map(str, a.shape))}] " + " ".join(values)


out = []
for line in (here / "library.txt").read_text().splitlines():
    if not line or line.startswith("#"):
        continue
    if line.startswith("let "):
        exec(python(line[4:]), names)
        continue
    value = eval(python(line), names)
    leaves = [leaf_text(leaf) for leaf in jax.tree.leaves(value)]
    out.append(line + "\t" + "; ".join(leaves))
(here / "library.values").write_text("\n".join(out) + "\n")
