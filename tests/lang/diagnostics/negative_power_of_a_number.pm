print(2 ** -1) # a power of floats
print(i16(2) ** -1)

# expect: 0.5
# error: PM0287 "i16(2) ** -1"
# help: compute with floats: `f32(x) ** -1`
