# Compares `random` with JAX: pm run tests/oracle/random_values.pm tests/oracle/random_values.txt
# Bits and integers must be equal. Floats of functions whose last digits differ between libraries (log, erf_inv) may differ by some units.

let key = random.key(42)

let digits = "0123456789abcdef"
fn from_hex(word) {
    mut n = 0
    for c in word { n = n * 16 + text.find(digits, c) }
    n
}

## The number of floats between a and b.
fn steps(a, b) {
    let ordered = fn(x) {
        let bits = i64(bitcast_convert_type(x, u32))
        where(bits >= 2147483648, 2147483648 - bits, bits)
    }
    max(abs(ordered(a) - ordered(b)))
}

let probabilities = [0.1, 0.2, 0.3, 0.4]
let shapes = [0.5, 1.0, 3.0, 20.0]
let integers = {
    key: key_data(key),
    split: key_data(random.split(key, 3)),
    fold_in: key_data(random.fold_in(key, 7)),
    key_large: key_data(random.key(2147483647)),
    bits: random.bits(key, (5,)),
    bits8: random.bits(key, (5,), u8),
    bits16: random.bits(key, (2, 3), u16),
    randint: random.randint(key, (10,), 0, 1000),
    randint_wide: random.randint(key, (4,), -2147483648, 2147483647),
    randint8: random.randint(key, (6,), -5, 100, i8),
    permutation: random.permutation(key, 20),
    permutation_array: random.permutation(key, arange(12).reshape(4, 3)),
    permutation_axis: random.permutation(key, arange(12).reshape(4, 3), axis=1, independent=true),
    permutation_long: random.permutation(key, 2000)[:10],
    choice: random.choice(key, 10, (6,)),
    choice_without: random.choice(key, arange(10) * 10, (4,), replace=false),
    choice_p: random.choice(key, 4, (8,), p=probabilities),
    choice_without_p: random.choice(key, 5, (3,), replace=false, p=[0.1, 0.2, 0.3, 0.2, 0.2]),
    bernoulli: i32(random.bernoulli(key, 0.3, (12,))),
    categorical: random.categorical(key, log([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]), shape=(5, 2)),
    categorical_axis: random.categorical(key, arange(12.0).reshape(3, 4) / 4, axis=0),
    rademacher: random.rademacher(key, (8,)),
    poisson: random.poisson(key, [0.5, 4.0, 30.0, 200.0]),
    geometric: random.geometric(key, 0.3, (6,)),
}
# Each with the allowed error in units in the last place.
let floats = {
    uniform: (random.uniform(key, (2, 4)), 0),
    uniform_range: (random.uniform(key, (6,), minval=-3.0, maxval=5.0), 0),
    normal: (random.normal(key, (8,)), 4),
    truncated_normal: (random.truncated_normal(key, -2.0, 2.0, (6,)), 64),
    gumbel: (random.gumbel(key, (4,)), 8),
    exponential: (random.exponential(key, (4,)), 4),
    laplace: (random.laplace(key, (4,)), 4),
    logistic: (random.logistic(key, (4,)), 16),
    cauchy: (random.cauchy(key, (4,)), 16),
    loggamma: (random.loggamma(key, shapes), 32),
    gamma: (random.gamma(key, shapes), 64),
    beta: (random.beta(key, 2.0, 3.0, (4,)), 64),
    dirichlet: (random.dirichlet(key, [1.0, 2.0, 3.0]), 64),
    triangular: (random.triangular(key, 0.0, 1.0, 3.0, (4,)), 4),
}

mut names = ()
for line in text.lines(read_text(args[0])) {
    let words = text.split(line)
    let name = words[0]
    names += (name,)
    if name in integers {
        let (theirs, ours) = (array(i64(words[1:])), ravel(integers[name]))
        assert(theirs.size == ours.size and all(i64(ours) == theirs), "{name}: {ours}, JAX has {theirs}")
    } else {
        let (ours, most) = floats[name]
        let theirs = bitcast_convert_type(u32(array((1i64 * from_hex(w) for w in words[1:]))), f32)
        let far = steps(theirs, ravel(ours))
        assert(far <= most, "{name}: {ours}, JAX has {theirs}, {far} units in the last place apart")
    }
}
assert(len(names) == len(integers) + len(floats), "the file has {len(names)} lines")
print("{len(names)} samples are JAX's")
