# A loop over the fields of a record with a single name is named, once for each place, if the fields are arrays of one length.
let set = {x: ones((3, 2)), y: arange(3)}
for row in set { print(row[0]) }
fn names(s) { mut n = 0; for f in s { n += len(f) }; n }
print(names(set), names({a: ones(2)}), [len(pair) for pair in {p: [1, 2], q: [3, 4]}])
# Not named: two names, fields that differ in length or are no arrays, `each`.
for (name, value) in set { print(name) }
for f in {a: ones(2), b: ones(3)} { print(f[0]) }
for f in {a: 1, b: 2} { print(f[0]) }
for row in each(set) { print(row.y) }

# exit: 0
# expect: x
# expect: y
# expect: 4 2 [2, 2]
# expect: x
# expect: y
# expect: a
# expect: b
# expect: a
# expect: b
# expect: 0
# expect: 1
# expect: 2
# error: PM0121 "set"
# message: this loop runs over the 2 fields of a record, not along the arrays in them
# help: along axis 0 of the arrays: for row in each(set)
# help: over the fields: for (name, value) in set
# error: PM0121 "s"
# error: PM0121 "{p: [1, 2], q: [3, 4]}"
