# Operations on known numbers have f64 and i64 precision; values print as literals.
print(1 + 2 * 3, 7 // 2, -7 // 2, -7 % 3, 7 / 2, 2 ** 10, 2 ** -1)
print(1_000, 0xFF, 1.5, 1., 1e-3, 2f64, 7i64)
print(true and not false, 1 < 2, 3 == 3.0, 5 & 3, 5 | 3, 5 ^ 3, 1 << 4, ~0)
print(-2 ** 2, (-2) ** 2, 2 ** 3 ** 2)
print(pi, inf, -inf, nan)
print(int(3.9), float(3), abs(-4), minimum(3, 1), maximum(3, 1))

# expect: 7 3 -4 2 3.5 1024 0.5
# expect: 1000 255 1.5 1.0 0.001 2.0 7
# expect: true true true 1 7 6 16 -1
# expect: -4 4 512
# expect: 3.141592653589793 inf -inf nan
# expect: 3 3.0 4 1 3
