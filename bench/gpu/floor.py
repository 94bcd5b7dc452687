"""Measures lower bounds for bench/gpu: floor.py memory|products DIVISOR prints "WHAT<tab>SECONDS" lines with the names used there.

For memory the bound is a copy by the driver that reads and writes as many bytes; for products it is the time of cuBLAS, called by PyTorch.
"""

import statistics
import sys
import time

from cuda import Cuda


def median(f, n):
    f()
    times = []
    for _ in range(n):
        begin = time.perf_counter()
        f()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def memory(divisor):
    rows, columns = max(16384 // divisor, 4), 4096
    size = 4 * rows * columns
    cuda = Cuda()
    source, to = cuda.allocate(size), cuda.allocate(size)
    copied = median(lambda: cuda.copy(to, source, size), 25)
    halved = median(lambda: cuda.copy(to, source, size // 2), 25)
    what = f"{rows} x {columns} f32"
    for name in ("copy (negation)", "fused elementwise chain", "softmax of rows", "layer norm of rows"):
        print(f"{name}, {what}\t{copied:.9f}")
    for name in ("sum of all", "sums of rows", "sums of columns"):  # these write next to nothing
        print(f"{name}, {what}\t{halved:.9f}")


def products(divisor):
    try:
        import torch

        torch.zeros(1, device="cuda")
    except (ImportError, AssertionError, RuntimeError) as error:
        print(f"no PyTorch on the GPU: what cuBLAS takes is left out ({error})", file=sys.stderr)
        return
    n = max(4096 // divisor, 16)

    kinds = (("f32", torch.float32), ("f32, highest precision", torch.float32), ("bf16", torch.bfloat16))
    for name, dtype in kinds:
        torch.backends.cuda.matmul.allow_tf32 = name == "f32"
        a, b = (torch.randn(n, n, device="cuda").to(dtype) for _ in range(2))

        def product():
            a @ b
            torch.cuda.synchronize()

        print(f"matrix product {n}, {name}\t{median(product, 25):.9f}")


if __name__ == "__main__":
    {"memory": memory, "products": products}[sys.argv[1]](int(sys.argv[2]))
