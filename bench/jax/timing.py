"""The same measurements as bench/pm/timing.pm, for JAX."""

import os
import statistics
import time


def devices(n):
    """Sets the number of devices of this processor. To be called before JAX is imported."""
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + f" --xla_force_host_platform_device_count={n}"


def on_devices(x):
    """x with its leading axis distributed over the first devices, so that pmap does not move it."""
    import jax

    return jax.block_until_ready(jax.pmap(lambda part: part)(x))


def seconds(f):
    import jax

    begin = time.perf_counter()
    jax.block_until_ready(f())
    return time.perf_counter() - begin


def first_and_later(name, f, n):
    print(f"{name} first call\t{seconds(f):.9f}")
    print(f"{name} later call\t{statistics.median(seconds(f) for _ in range(n)):.9f}")


def steady(name, f, n):
    steady_of(name, f, n, 1)


def steady_of(name, f, n, iterations):
    seconds(f)
    print(f"{name}\t{statistics.median(seconds(f) / iterations for _ in range(n)):.9f}")
