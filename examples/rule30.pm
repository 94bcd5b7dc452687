# Rule 30: the next state of a cell depends on itself and its two neighbours. The row is a ring, cut over the devices. The neighbours
# of a block's end cells are on other devices: before each step a device gets a copy of them, its halo, by two messages (ppermute).

let (cells, parts, steps) = (64, 4, 24)
let right = ((i, (i + 1) % parts) for i in tuple(0..parts))
let left = ((to, from) for (from, to) in right)

## left xor (cell or right), for a row with one more cell at either end.
fn rule(wide) = wide[:-2] ^ (wide[1:-1] | wide[2:])

fn with_halo(block) =
    concatenate((ppermute(block[-1:], "row", right), block, ppermute(block[:1], "row", left)))

fn history(block) {
    mut block = block
    mut states = zeros((steps, len(block)), dtype=i32)
    for t in 0..steps {
        states[t] = block
        block = rule(with_halo(block))
    }
    states
}

let start = zeros(cells, dtype=i32) with [cells // 2] = 1
let picture = pmap(history, axis_name="row", axis_size=parts, tiled=true, out_axes=1)(start)
for line in picture { print(text.join((if c == 1 { "#" } else { "." } for c in tuple(line)), "")) }

# The whole row on one device.
mut row = start
for t in 0..steps {
    assert(array_equal(picture[t], row), "step {t} differs")
    row = rule(concatenate((row[-1:], row, row[:1])))
}
print("{parts} blocks of {cells // parts} cells are the row of {cells}, in all {steps} steps")
