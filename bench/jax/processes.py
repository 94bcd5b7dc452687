"""The same measurements as bench/pm/processes.pm, for JAX: two processes that are connected by Gloo."""

import os
import socket
import subprocess
import sys

import timing


def run(port, index):
    import jax

    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"127.0.0.1:{port}", 2, index)

    def repeated(x, iterations):
        return jax.lax.fori_loop(0, iterations, lambda _, x: 0.5 * (x + jax.lax.pmean(x, "i")), x)

    for size, count, iterations in (("4 B", 4, 200), ("4 KB", 2**12, 200), ("1 MB", 2**20, 50), ("64 MB", 2**26, 4)):
        x = jax.pmap(lambda part: part)(jax.random.uniform(jax.random.key(0), (1, count // 4)))
        f = jax.pmap(lambda x: repeated(x, iterations).sum(), axis_name="i")
        times = []
        timing.seconds(lambda: f(x))
        for _ in range(7):
            times.append(timing.seconds(lambda: f(x)) / iterations)
        if index == 0:
            for way in ("shared memory", "TCP"):
                print(f"psum of {size} over 2 processes, {way}\t{sorted(times)[3]:.9f}", flush=True)


if len(sys.argv) > 1:
    run(int(sys.argv[1]), int(sys.argv[2]))
else:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=1"
    both = [subprocess.Popen([sys.executable, __file__, port, str(index)]) for index in (0, 1)]
    sys.exit(max(process.wait() for process in both))
