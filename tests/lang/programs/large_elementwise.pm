# Nests of many elements. The threads of a GPU process vectors if all accesses of a nest are to whole vectors.
# expect: [1, 1, 1, 1] 1.0 400000
let n = 400000
let x = arange(f32(n))
let y = (x * 2 - x) / where(x == 0, 1, x) + where(x == 0, 1.0, 0.0)
print(y[0:4], y[n - 1], i32(sum(y)))

# Rows whose length is no multiple of a vector's length, and a slice that begins inside of a vector.
# expect: 1.5 99999.5 66668.5 199999.5
let odd = x[0:399999].reshape((3, 133333))
print((odd[0] + 0.5)[1], (x[1:100000] + 0.5)[99998], ((odd[1:, 1:] + x[3:133335]) / 2)[0, 0] - 0.0, ((odd[1:, 1:] + x[3:133335]) / 2)[0, 133331])

# Elements whose width is not one word: bytes, halves, pairs of words.
# expect: 200000 399996.0 0.25
let even = (i32(x) % 2) == 0
print(sum(i32(even)), f64(x)[399996] * 1.0, f16(x[0:100000] / 4)[1])
fn f(x) = f16(x % 1024) * f16(2) + f16(1)
# expect: 1.0 2047.0 f16
print(f(x)[0], f(x)[1023], f(x).dtype)
# expect: [3.0, 3.5, 4.0]
fn add_column(a, c) = a + c
print(add_column(x.reshape((1000, 400)), arange(1000.0).reshape((1000, 1)) * 0.5 + 3)[0:3, 0] - arange(3.0) * 400)
