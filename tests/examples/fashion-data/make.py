"""Writes pictures in the form of Fashion-MNIST (IDX, gzip) for tests: bright bars of ten kinds, which differ by position.

Usage: python3 make.py FOLDER. Needs the standard library only. The output is the same each time.
"""

import gzip
import pathlib
import struct
import sys


def numbers(seed):
    """A linear congruential generator (Knuth's MMIX constants): integers below 2^31."""
    state = seed
    while True:
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        yield state >> 33


def picture(kind, random):
    """28 x 28 bytes: a bar of random position, length and brightness; horizontal for even kinds, vertical for odd ones."""
    pixels = bytearray(28 * 28)
    row = 2 + 5 * (kind // 2) + next(random) % 2
    begin, length, bright = next(random) % 8, 12 + next(random) % 8, 120 + 40 * (next(random) % 4)
    for thick in range(3):
        for along in range(begin, begin + length):
            i, j = (row + thick, along) if kind % 2 == 0 else (along, row + thick)
            pixels[28 * i + j] = bright
    return bytes(pixels)


def write(path, magic, sizes, data):
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(struct.pack(f">I{len(sizes)}I", magic, *sizes) + data)


def main(folder):
    random = numbers(1)
    for name, count in (("train", 2048), ("t10k", 256)):
        kinds = [next(random) % 10 for _ in range(count)]
        pictures = b"".join(picture(kind, random) for kind in kinds)
        write(folder / f"{name}-images-idx3-ubyte.gz", 0x803, (count, 28, 28), pictures)
        write(folder / f"{name}-labels-idx1-ubyte.gz", 0x801, (count,), bytes(kinds))


main(pathlib.Path(sys.argv[1]))
