# A loop over many items whose unrolled code is long is named.
fn total(rows, w) {
    mut t = 0.0
    for row in rows {
        mut v = w
        for k in (1, 2, 3, 4, 5, 6, 7, 8) { v = tanh(v * row + k) - 0.1 * v ** 2 }
        t += sum(v)
    }
    t
}
let rows = (ones(3) * i for i in 0..100)
print(total(rows, ones(3)) > 0, total(rows[:60], ones(3)) > 0, total(each(tree.stack(rows)), ones(3)) > 0)
# Many items of little code, or a loop at the top level, cost nothing.
fn number(names) { mut n = 0; for x in names { n += len(x) }; n }
print(number(("ab" for _ in 0..2000)))
mut last = 0
for row in rows { last = sum(row) }

# exit: 0
# expect: true true true
# expect: 4000
# error: PM0122 "rows"
# message: the loop over 100 items is unrolled, its code has 8201 operations
# help: items of one structure, stacked, make one loop: for x in each(tree.stack(items))
