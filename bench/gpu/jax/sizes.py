"""The sizes of the measurements, equal to those of bench/gpu/pm/sizes.pm."""

import sys

divisor = int(sys.argv[1]) if len(sys.argv) > 1 else 1


def scaled(n, least=1):
    return max(n // divisor, least)
