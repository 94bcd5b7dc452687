#!/usr/bin/env python3
"""The functions of NVIDIA's driver that the scripts need. Needs no packages.

    cuda.py name            the name of the first GPU
    cuda.py architecture    the architecture of its PTX: sm_80 or sm_90a
    cuda.py count           the number of GPUs
    cuda.py load FILE...    loads PTX; prints the files that the driver refuses, and why
"""

import ctypes
import sys
from pathlib import Path


class Cuda:
    """The first GPU. Calls that fail raise RuntimeError."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.device = ctypes.c_int()
        context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(code, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or str(code).encode()).decode()}")

    def name(self):
        text = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", text, 255, self.device)
        return text.value.decode()

    def count(self):
        count = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(count))
        return count.value

    def architecture(self):
        """The same choice as in runtime/gpu/cuda.cpp."""
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(major), 75, self.device)
        self.call("cuDeviceGetAttribute", ctypes.byref(minor), 76, self.device)
        return "sm_90a" if (major.value, minor.value) == (9, 0) else "sm_80"

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address

    def copy(self, to, source, size):
        """Copies within the device, and waits."""
        self.call("cuMemcpyDtoDAsync_v2", to, source, ctypes.c_size_t(size), None)
        self.call("cuStreamSynchronize", None)

    def load(self, ptx):
        """Loads and unloads a module. Returns the driver's message if it refuses the module, else nothing."""
        module, log = ctypes.c_void_p(), ctypes.create_string_buffer(4096)
        options = (ctypes.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER and its size
        values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), len(log) - 1)
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), ptx, 2, options, values)
        except RuntimeError as error:
            return f"{error} {log.value.decode(errors='replace')}".strip()
        self.call("cuModuleUnload", module)
        return ""


def main():
    command, *files = sys.argv[1:]
    cuda = Cuda()
    if command != "load":
        print({"name": cuda.name, "architecture": cuda.architecture, "count": cuda.count}[command]())
        return 0
    refused = 0
    for file in files:
        if why := cuda.load(Path(file).read_bytes() + b"\0"):
            print(f"FAIL {file}\n  {why}")
            refused += 1
    print(f"{len(files) - refused} passed, {refused} failed")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
