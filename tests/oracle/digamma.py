# Writes tests/lang/programs/digamma_values.pm: digamma, near its zero above 0 and elsewhere, by mpmath with 60 digits.
# python3 tests/oracle/digamma.py > tests/lang/programs/digamma_values.pm; pm fmt tests/lang/programs/digamma_values.pm   (mpmath 1.4.1)
# With --series it prints the polynomial of DigammaNearZero (compiler/ops/elementwise/special_functions.hpp), and its greatest error.
import struct
import sys

import mpmath as mp

mp.mp.dps = 60
zero = mp.findroot(mp.digamma, mp.mpf("1.4616321449683623412626595"))


def single(x): return struct.unpack("f", struct.pack("f", x))[0]


def series(count=22):
    def quotient(u):
        return mp.digamma(u + 1.5) / (u + 1.5 - zero)

    nodes = [mp.cos(mp.pi * (2 * k + 1) / (2 * count)) / 2 for k in range(count)]
    powers = mp.matrix([[u**j for j in range(count)] for u in nodes])
    found = [float(c) for c in mp.lu_solve(powers, mp.matrix([quotient(u) for u in nodes]))]
    places = [mp.mpf(k) / 401 - 0.5 for k in range(402)]
    print(repr(float(zero)), repr(float(zero - float(zero))))
    print(found)
    print(mp.nstr(max(abs(mp.polyval(found[::-1], u) / quotient(u) - 1) for u in places), 3))


def program():
    near = float(zero)
    wide = [near, mp.mpf(near) + mp.mpf(2)**-52, mp.mpf(near) - mp.mpf(2)**-52]
    wide += [near + s * 10.0**-e for e in range(1, 16) for s in (-1, 1)]
    wide += [1.0, 2.0, 1.0 + 2.0**-52, 2.0 - 2.0**-52, 1.25, 1.5, 1.75, 0.5, 0.75, 2.5, 3.0, 7.5, 10.0, 123.0, -0.25, -0.75, -1.25]
    wide = [float(x) for x in wide]
    narrow = [single(x) for x in wide if abs(x - near) > 1e-8] + [single(near), single(near + 2.0**-23), single(near - 2.0**-23)]

    def check(dtype, xs, within):
        print(f"check({dtype}([{', '.join(map(repr, xs))}]),")
        print(f"    f64([{', '.join(repr(float(mp.digamma(mp.mpf(x)))) for x in xs)}]), {within})")

    print("# digamma keeps its digits next to its zero above 0, where it is a difference of numbers that are nearly the same. Made by tests/oracle/digamma.py.")
    print("""fn check(x, exact, within) {
    let error = max(abs(f64(digamma(x)) / exact - 1))
    assert(error < within, "{x.dtype}: an error of {error}")
    assert(max(abs(f64(jit(digamma)(x)) / exact - 1)) < within, "jit")
}""")
    check("f64", wide, "4e-15")
    check("f32", narrow, "1e-7")
    print("print(digamma(f16(1.462)), digamma([inf, nan, 0.0, -3.0]))\n# expect: 0.0002728 [inf, nan, nan, nan]")
    # A derivative has a separate formula.
    print(f"assert(abs(grad(digamma)(f64({near!r})) / {float(mp.zeta(2, zero))!r} - 1) < 1e-14)")


series() if "--series" in sys.argv else program()
