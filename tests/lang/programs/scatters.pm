# Updates of many indices at once, some of them equal. A GPU's results equal the processor's to the bit.
# devices: 1 2

fn scattered(n, seed) =
    (arange(n, dtype=u32) * 2654435761 + seed * 40503) ^ (
        (arange(n, dtype=u32) + seed) * 2246822519 >> 7
    )
fn places(n, seed, count) = i32(scattered(n, seed) >> 5) % count
fn numbers(n, seed) = f32(scattered(n, seed) >> 8) / 1000.0 - 8000.0

# A digest of all bits of an array.
fn digest(x) {
    let bits = if x.dtype == f64 {
        bitcast_convert_type(x, i64)
    } else if x.dtype == f32 {
        i64(bitcast_convert_type(x, i32))
    } else {
        i64(bitcast_convert_type(x, i16))
    }
    sum(bits * (1 + arange(x.shape[0], dtype=i64) * 7919 % 100003))
}

# Of several updates of one index the last determines the value; sums and products are computed in order.
fn of_count(n) {
    let i = places(n, 3, 1 + n // 4)
    let x = numbers(1 + n // 4, 5)
    let v = numbers(n, 7)
    let near = 1.0 + v / 100000.0
    (
        digest(x with [i] = v),
        digest(x with [i] += v),
        digest(x with [i] *= near),
        digest(x with [i] max= v),
    )
}
for n in [1, 2, 255, 256, 257, 1024, 1025, 3000] { print(n, of_count(n)) }

# Updates of all types.
fn of_type(v, n) {
    let i = places(n, 11, 40)
    let x = v[:40]
    (digest(x with [i] = v), digest(x with [i] += v), digest(x with [i] min= v))
}
fn of_types(n) = (
    of_type(numbers(n, 1).astype(f64), n),
    of_type(f16(numbers(n, 2) / 1000), n),
    of_type(bf16(numbers(n, 3)), n),
)
print(of_types(100), of_types(600))
fn of_integers(n) {
    let i = places(n, 13, 50)
    let v = places(n, 17, 1000)
    let sums = fn(x) = sum(i64(x) * arange(50))
    let all = fn(z, w) = (
        sums(z with [i] = w),
        sums(z with [i] += w),
        sums(z with [i] *= w),
        sums(z with [i] max= w),
        sums(z with [i] min= w),
    )
    (
        all(arange(50, dtype=i32), v),
        all(arange(50, dtype=i64), i64(v)),
        all(arange(50, dtype=u8), u8(v)),
        all(arange(50, dtype=i16), i16(v)),
    )
}
print(of_integers(90), of_integers(700))

# Updates of rows, along several axes, in batches.
fn rows(n) {
    let i = places(n, 19, 20)
    let j = places(n, 23, 7) - 2
    let v = numbers(3 * n, 29).reshape(n, 3)
    let x = zeros((20, 7, 3))
    (digest((x with [i, j] = v).reshape(-1)), digest((x with [i, j] += v).reshape(-1)))
}
print(rows(200), rows(900))
fn in_batches(n) {
    let i = places(4 * n, 31, 17).reshape(4, n)
    let v = numbers(4 * n, 37).reshape(4, n)
    let made = vmap(fn(i, v) = (zeros(17) with [i] = v, zeros(17) with [i] += v))(i, v)
    (digest(made[0].reshape(-1)), digest(made[1].reshape(-1)))
}
print(in_batches(100), in_batches(400), in_batches(1500))

# Updates in a loop.
fn in_loop(n) {
    mut x = zeros(30)
    for t in range(4) {
        x = x with [(places(n, 41, 30) + t) % 30] += numbers(n, 43) with [0] = f32(t)
    }
    digest(x)
}
print(in_loop(50), in_loop(500))
print(digest(grad(fn(x) = sum(x[places(2000, 47, 60)] * numbers(2000, 53)))(numbers(60, 59))))
# expect: 1 (-973651423, -965254799, -974918789, -973651423)
# expect: 2 (1158990468, -967692592, -974563191, 1158990468)
# expect: 255 (629365890372576, 807707114987856, 374785044952433, 3320559610731124)
# expect: 256 (1171330404466405, 1181769701954853, 382926393213835, 3228334753689372)
# expect: 257 (1154359586517925, 1181721534130533, 382922649136795, 3228334753689372)
# expect: 1024 (267517308642687, 2438670760515336, 1544312179664821, 12875549984442869)
# expect: 1025 (267517897081335, 2438859468167436, 1544340887319484, 12875550572881517)
# expect: 3000 (6721074676996709, 10573259142533786, 5176706720071134, 39330529900498959)
# expect: ((-4118706804228096000, 8105387131028897792, 3604241694544887808), (10626022376, 11309412420, -15501830335), (11933214397, 11626961105, -14901874695)) ((-6995306789583454208, -7800168506799947776, 6676027824266018816), (8987647063, 10162995241, -27636641386), (10474424958, 8238782762, -27965801404))
# expect: ((441643, 922911, -79308361377, 564336, 37971), (441643, 922911, 8665433823146335, 564336, 37971), (127019, 134431, 112735, 161052, 37050), (441643, 922911, 2388319, 564336, 37971)) ((626561, 8316040, 41923373240, 1145325, 31601), (626561, 8316040, -3640918321297889096, 1145325, 31601), (144769, 176520, 34744, 279880, 19265), (626561, 8316040, -857928, 1145325, 31601))
# expect: (2154413539492720, 2543791819185231) (3478674888014749, 5529677573370014)
# expect: (629708927695382, 1199981980132160) (-140403877593286, 1294421596178975) (76958951567128, 2076141539487536)
# expect: -57057899528420 801138006520806
# expect: 1567158340013655
