# Slices of an array that is split repeatedly, changed between two uses, and donated.
let data = reshape(arange(6000) % 10, (60, 100)) * 1.0
let total = jit(fn(x) = sum(x))

# Minibatches for several epochs: each minibatch has different rows.
mut seen = 0.0
for epoch in 0..4 {
    for b in 0..12 { seen = seen + total(data[b * 5:(b + 1) * 5]) }
}
print(seen, total(data))
# expect: 108000.0 27000.0

# Slices that begin at any index, and a slice that is used repeatedly.
print([total(data[i, 3 + i:7 + i]) for i in 0..3], total(data[7]), total(data[7]))
# expect: [18, 22, 26] 450.0 450.0

# If the array is changed between two uses of a slice, the second use reads the new numbers.
mut table = data + 0.0
print(total(table[4]))
# expect: 450.0
table[4, 0] = 100.0
print(total(table[4]), total(table[5]))
# expect: 550.0 450.0
let kept = table[4]
table[4] = table[5] * 2.0
print(total(table[4]), total(kept))
# expect: 900.0 550.0

# A slice that is returned unchanged does not change if the array is changed later.
let both = jit(fn(x) = (x, x + 1.0))
let (same, more) = both(table[4:6])
table[4] = table[0] * 3.0
print(total(same), total(more), total(table[4]))
# expect: 1350.0 1550.0 1350.0
