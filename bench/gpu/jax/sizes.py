"""How large the measurements are, as bench/gpu/pm/sizes.pm has it."""

import sys

import jax

# f32 is f32, as Polymap has it, not numbers cut to 10 bits (TF32) as is usual for products on a GPU.
jax.config.update("jax_default_matmul_precision", "highest")
divisor = int(sys.argv[1]) if len(sys.argv) > 1 else 1


def scaled(n, least=1):
    return max(n // divisor, least)
