# The digits of the smallest i64 do not fit i64 without the minus.
let least = -9223372036854775808
print(least, least + 1, -9223372036854775808i64)
print(zip((1, 2), "ab"), enumerate((1, 2)), reversed(0..3))

# expect: -9223372036854775808 -9223372036854775807 -9223372036854775808
# expect: zip((1, 2), "ab") enumerate((1, 2)) reversed(0..3)
