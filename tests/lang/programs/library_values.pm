# Results of library functions for extreme values and sizes, and for each option.

# Extremes of integers are found without a conversion to floats; the sum for a mean of halves is not a half.
print(nanmax([16777217, 3]), nanmin(i64([9007199254740993])).dtype, nanmax([nan, 2.0]), nanmin([nan]))
let halves = ones(70000, dtype=f16)
print(nanmean(halves), nanmean(halves).dtype, nanvar(halves), nanmean(f64([nan, 1, 2])).dtype, nanmean([1, 2]), nanmean([nan]))

# A range of values of width zero is widened.
print(histogram([3, 3], bins=2), histogram([1.0, 2.0], bins=2, range=(5, 5))[1], histogram(zeros(0), bins=2)[0])

# The remainder of known numbers equals the remainder of arrays.
print(fmod(18446744073709551615u64, 10u64), fmod(-7, 3), fmod(7, -3), fmod(-7i8, 3i8), rem(-7.5, 2.0), fmod(i64(-9223372036854775807) - 1, -1i64))
print(fmod([18446744073709551615u64], 10u64), fmod([-7, 7], [3, -3]))
# fmax and fmin of a weak number and NaN return a weak number.
print((fmax(nan, 1.0) * ones(1)).dtype, (fmin(2, nan) * ones(1)).dtype, fmax(f32(nan), 1.0), fmin(nan, 3))

# An unsigned index of 32 bits, and an index of 64 bits, is not truncated.
let x = [1, 2, 3]
print(take(x, 4294967295u32, mode="clip"), take(x, [4294967295u32, 1u32], mode="fill", fill_value=-1), take(x, 4294967295u32, mode="wrap"))
print(take(x, 18446744073709551615u64, mode="clip"), take(x, [18446744073709551614u64], mode="wrap"), take_along_axis(x, [4294967295u32], mode="clip"))
print(dynamic_slice(x, (4294967295u32,), (2,)), dynamic_update_slice(x, [9], (18446744073709551615u64,)))
print(bincount(i64([4294967297, 2]), length=4), bincount([4294967295u32, 1u32], length=2), segment_sum([1, 2], [4294967295u32, 0u32], 1))
# Diagonals whose offset is much larger than the matrix.
print(eye(2, k=2 ** 32), eye(2, 3, k=-2 ** 32), tril(ones((2, 2)), 2 ** 32), triu(ones((2, 2)), -2 ** 32), triu(ones((2, 2)), 2))

# Padding by less than the size of the axis, by several times the size, and by more than a period.
let y = [1, 2, 3]
print(pad(y, 2, mode="reflect"), pad(y, 3, mode="symmetric"), pad(y, (2, 0), mode="wrap"), pad(y, 1, mode="edge"))
print(pad(y, 5, mode="reflect"), pad(y, (7, 1), mode="symmetric"), pad(y, (4, 5), mode="wrap"), pad([7], 2, mode="reflect"))
print(pad(arange(6).reshape(2, 3), ((3, 0), (0, 4)), mode="reflect"))
print(grad(fn(y) = sum(pad(y, 5, mode="reflect") * arange(13.0)))([1.0, 2.0, 3.0]))
let long = pad(arange(5.0), 1000, mode="reflect")
print(long.shape, sum(long[992:1000] - [0, 1, 2, 3, 4, 3, 2, 1]), max(long))

# Rows of many columns are compared like rows of few columns, also if they contain NaNs or zeros of both signs.
let rows = stack(([2, 1, 3], [1, 5, 3], [2, 1, 3], [1, 4, 9]))
let wide = tile(rows, (1, 7))
let (values, first, inverse, counts) = unique(wide, axis=0, return_index=true, return_inverse=true, return_counts=true)
print(values.shape, values[:, :3], first, inverse, counts)
let odd = stack((full(9, nan), zeros(9), -zeros(9), full(9, nan)))
print(unique(odd, axis=0).shape, unique(odd, axis=0, return_inverse=true)[1])

# The names of arguments are JAX's.
print(split(arange(4), indices_or_sections=2), hsplit(arange(4), indices_or_sections=(1,)), array_split(arange(5), 2), array_split(arange(5), (1, 3)))
print(random.split(random.key(0), num=3).shape)
# Options may be in upper or lower case if JAX accepts both.
print(nn.conv2d(ones((1, 3, 3, 1)), ones((2, 2, 1, 1)), padding="valid").shape, convolve([1, 2, 3], [1, 1], mode="same"))
print(nn.logsumexp([[0.0, 0.0]], axis=1, b=2.0), nn.one_hot([1], 2), linalg.outer([1, 2], [3]), linalg.vecdot([1, 2], [3, 4]))

# expect: 16777217 i64 2.0 nan
# expect: 1.0 f16 0.0 f64 1.5 nan
# expect: ([0, 2], [2.5, 3.0, 3.5]) [4.5, 5.0, 5.5] [0, 0]
# expect: 5 -1 1 -1 -1.5 0
# expect: [5] [-1, 1]
# expect: f32 f32 1.0 3.0
# expect: 3 [-1, 2] 1
# expect: 3 [3] [3]
# expect: [2, 3] [1, 2, 9]
# expect: [0, 0, 1, 0] [0, 1] [2]
# expect: [[0, 0], [0, 0]] [[0, 0, 0], [0, 0, 0]] [[1, 1], [1, 1]] [[1, 1], [1, 1]] [[0, 0], [0, 0]]
# expect: [3, 2, 1, 2, 3, 2, 1] [3, 2, 1, 1, 2, 3, 3, 2, 1] [2, 3, 1, 2, 3] [1, 1, 2, 3, 3]
# expect: [2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2] [1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3] [3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2] [7, 7, 7, 7, 7]
# expect: [[3, 4, 5, 4, 3, 4, 5],
# expect:  [0, 1, 2, 1, 0, 1, 2],
# expect:  [3, 4, 5, 4, 3, 4, 5],
# expect:  [0, 1, 2, 1, 0, 1, 2],
# expect:  [3, 4, 5, 4, 3, 4, 5]]
# expect: [15, 42, 21]
# expect: (2005,) 0.0 4.0
# expect: (3, 21) [[1, 4, 9], [1, 5, 3], [2, 1, 3]] [3, 1, 0] [2, 1, 2, 0] [1, 1, 2]
# expect: (2, 9) [1, 0, 0, 1]
# expect: ([0, 1], [2, 3]) ([0], [1, 2, 3]) ([0, 1, 2], [3, 4]) ([0], [1, 2], [3, 4])
# expect: (3,)
# expect: (1, 2, 2, 1) [1, 3, 5]
# expect: [1.3862944] [[0, 1]] [[3], [6]] 11
