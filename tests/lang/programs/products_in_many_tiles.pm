# A product with more tiles along rows and columns than a group of tiles has. The numbers are exact in every precision.
let a = (arange(2 * 600 * 24) * 7919 % 31 - 15.0).reshape(2, 600, 24)
let b = (arange(2 * 24 * 620) * 104729 % 29 - 14.0).reshape(2, 24, 620)
let exact = matmul(a, b, precision="highest")
let rough = matmul(a, b, precision="default")
print(all(exact == rough), rough[1, 599, 617:], sum(i32(rough[0]), axis=0)[::100])
print(all(matmul(bf16(a[0]), bf16(b[0]), preferred_element_type=f32) == exact[0]))

# expect: true [-87, -109, -73] [256, -99, 68, 264, 54, -127, 214]
# expect: true
