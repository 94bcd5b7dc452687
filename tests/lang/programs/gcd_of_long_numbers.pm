# The greatest common divisor of integers of more than 32 bits.
print(gcd(3000000000, 2), lcm(3000000000, 7), gcd(3000000000, 9000000001), gcd(12, 18).dtype)
# gcd terminates for NaN and infinity.
print(gcd([nan, 1.0, inf, 12.0], [1.0, nan, 2.0, 18.0]), gcd(f16(65504.0), f16(inf)), lcm(2.0, nan))

# expect: 2 21000000000 1 i32
# expect: [nan, nan, nan, 6.0] nan nan
