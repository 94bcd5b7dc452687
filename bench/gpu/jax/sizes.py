"""How large the measurements are, as bench/gpu/pm/sizes.pm has it."""

import sys

divisor = int(sys.argv[1]) if len(sys.argv) > 1 else 1


def scaled(n, least=1):
    return max(n // divisor, least)
