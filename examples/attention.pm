# An attention block learns to reverse sequences. Every position attends to all positions; one vmap maps the two heads,
# another the batch. The attention pattern, printed at the end, is the anti-diagonal that a reversal needs.

let (length, symbols, width, heads) = (8, 10, 32, 2)

fn start(key) {
    let k = random.split(key, 6)
    let dense = fn(i, a, b) = nn.dense_init(k[i], a, b, init=nn.glorot_normal)
    {
        letters: random.normal(k[0], (symbols, width)),
        places: random.normal(k[1], (length, width)),
        qkv: random.normal(k[2], (3, heads, width, width // heads)) / sqrt(f32(width)),
        join: dense(3, width, width),
        hidden: dense(4, width, 2 * width),
        out: dense(5, 2 * width, symbols),
    }
}

## One sequence i32[length] -> scores f32[length, symbols], and attention weights f32[heads, length, length].
fn block(p, sequence) {
    let x = p.letters[sequence] + p.places
    let (q, k, v) = einsum("nd,thde->thne", x, p.qkv)
    let weights = nn.softmax(einsum("hne,hme->hnm", q, k) / sqrt(f32(width // heads)))
    let seen = einsum("hnm,hme->nhe", weights, v).reshape(length, width)
    let x = nn.standardize(x + nn.dense(p.join, seen))
    (nn.dense(p.out, nn.gelu(nn.dense(p.hidden, x))), weights)
}

fn loss(p, batch) {
    let (scores, _) = vmap(block, in_axes=(none, 0))(p, batch)
    mean(nn.cross_entropy(scores, flip(batch, axis=1)))
}

let adam = optim.adam(0.01)
fn train(p, key, steps) {
    mut p = p
    mut state = adam.init(p)
    for i in 0..steps {
        let batch = random.randint(random.fold_in(key, i), (32, length), 0, symbols)
        (p, state) = adam.update(p, state, grad(loss)(p, batch))
    }
    p
}

let (k_start, k_train, k_test) = random.split(random.key(0), 3)
let p = train(start(k_start), k_train, 150)
let test = random.randint(k_test, (200, length), 0, symbols)
let (scores, weights) = vmap(block, in_axes=(none, 0))(p, test)
print("right: {100 * mean(argmax(scores, axis=-1) == flip(test, axis=1)):.1f} %")
print("{test[0]} -> {argmax(scores[0], axis=-1)}")
print("where each place looks:")
fn mark(w) = if w > 0.8 { "#" } else if w > 0.3 { "+" } else { "." }
for row in mean(sum(weights, axis=1), axis=0) {
    print("  " + text.join((mark(w) for w in tuple(row)), " "))
}
