# A character RNN: a small recurrent network learns to spell a verse, letter by letter. The `for` over the letters is one compiled
# loop, and grad differentiates it in reverse. Then the network generates text: it reads each letter that it has chosen.

let verse = "one two three four five six seven eight nine ten "
let letters = unique(encode(verse))  # the alphabet: the different bytes, sorted
let data = i32(searchsorted(letters, encode(verse)))
let (n, size) = (len(letters), 48)

fn start(key) {
    let (k_in, k_state, k_out) = random.split(key, 3)
    {
        into: 0.3 * random.normal(k_in, (n, size)),
        state: 0.9 * linalg.qr(random.normal(k_state, (size, size)))[0],
        bias: zeros(size),
        out: nn.dense_init(k_out, size, n, init=nn.glorot_normal),
    }
}
fn cell(p, h, letter) = tanh(p.into[letter] + h @ p.state + p.bias)

## The mean cross-entropy of the next letter.
fn loss(p, text) {
    mut h = zeros(size)
    mut total = 0.0
    for (now, next) in zip(text[:-1], text[1:]) {
        h = cell(p, h, now)
        total += nn.cross_entropy(nn.dense(p.out, h), next)
    }
    total / (len(text) - 1)
}

let adam = optim.clipped(optim.adam(0.01), 1.0)
fn train(p, state, text, steps) {
    mut p = p
    mut state = state
    for _ in 0..steps { (p, state) = adam.update(p, state, grad(loss)(p, text)) }
    (p, state)
}

## The `count` letters after `first`, each the most likely one.
fn write(p, first, count) {
    mut h = zeros(size)
    mut letter = first
    mut written = zeros(count, dtype=i32)
    for i in 0..count {
        h = cell(p, h, letter)
        letter = argmax(nn.dense(p.out, h))
        written[i] = letter
    }
    written
}

mut p = start(random.key(0))
mut state = adam.init(p)
let twice = concatenate((data, data))
for round in 0..4 {
    (p, state) = train(p, state, twice, 10)
    print("loss {loss(p, twice):.2f}  o{decode(letters[write(p, data[0], 60)])}")
}
