# Whole numbers that need more than 32 bits.
print(gcd(3000000000, 2), lcm(3000000000, 7), gcd(3000000000, 9000000001), gcd(12, 18).dtype)

# expect: 2 21000000000 1 i32
