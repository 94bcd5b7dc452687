"""The same measurements as bench/pm/timing.pm, for JAX."""

import statistics
import time

import jax


def seconds(f):
    begin = time.perf_counter()
    jax.block_until_ready(f())
    return time.perf_counter() - begin


def first_and_later(name, f, n):
    print(f"{name} first call\t{seconds(f):.9f}")
    print(f"{name} later call\t{statistics.median(seconds(f) for _ in range(n)):.9f}")


def steady(name, f, n):
    seconds(f)
    print(f"{name}\t{statistics.median(seconds(f) for _ in range(n)):.9f}")
