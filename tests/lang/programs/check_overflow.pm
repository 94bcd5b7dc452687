# options: --check-overflow
# devices: 1 2
# --check-overflow reports no error for integers that fit their type, also at the ends of its range, and none for
# operations on bits. The checks are masked as those of `assert` are.
let ends = array([-128, 127], i8)
print(ends + 0i8, ends - [0, 0], ends * 1i8, -ends[1:], abs(ends[1:]), ends // 2, ends % 3, ends << 1, ~ends)
print(array([0, 255], u8) + u8(0), u8(255) - u8(255), i8(array([-128, 127])), u32(array([0, 7])), i64(2) ** 62)
print(2147483647 + 0, 46340 * 46340, sum(array([2147483647, 1, -2])), prod(array([65536, 32767])))
print(cumsum(array([100, 27, -128], i8)), array([[100, 27]], i8) @ array([1, 1], i8))

# Elements that are not used, and indices.
fn decrement(n) = if n > 0u32 { n - 1 } else { n }
print(vmap(decrement)(array([0, 5], u32)), decrement(0u32))
let x = arange(5.0)
print(x[-1], x[array([-5, 4])], x[array([4, -1], i8)], x with [-1] = 9.0)
print((zeros(3, u8) with [array([1, 1])] += u8(100)), argsort(x), unique(array([3, 1, 3])))

# Functions of the library, random numbers, loops, derivatives and devices.
print(sum(random.randint(random.key(1), (1000,), 0, 100)) > 0, random.normal(random.key(2), (2,)).shape)
fn total(n) {
    mut s = 0
    for i in 0..n { s += i * i }
    s
}
print(total(1000), jit(total)(1000))
fn power(x, n) = sum(x ** n)
print(grad(power)(x, 3), grad(fn(y) = sum(y[array([0, 1])] * array([3, 4])))(x))
print(pmap(fn(n) = psum(n, "i"), axis_name="i")(array([2147483600, 47])))

# expect: [-128, 127] [-128, 127] [-128, 127] [-127] [127] [-64, 63] [1, 1] [0, -2] [127, -128]
# expect: [0, 255] 0 [-128, 127] [0, 7] 4611686018427387904
# expect: 2147483647 2147395600 2147483646 2147418112
# expect: [100, 127, -1] [127]
# expect: [0, 4] 0
# expect: 4.0 [0, 4] [4, 4] [0, 1, 2, 3, 9]
# expect: [0, 200, 0] [0, 1, 2, 3, 4] [1, 3]
# expect: true (2,)
# expect: 332833500 332833500
# expect: [0, 3, 12, 27, 48] [3, 4, 0, 0, 0]
# expect: [2147483647, 2147483647]
