# A function that converts computed values to text is interpreted; the functions that it calls are compiled.
fn named(row) = text.join(("{v:.1f}" for v in tuple(row * 2)), "|")
fn labels(n) {
    mut all = ()
    for i in tuple(0..n) { all += (str(i * i),) }
    text.join(all, " ")
}
fn shown(x) {
    print("x is " + str(x))
    sum(x)
}

fn same(x) = "{x}" == "[1, 2]"
print(same([1.0, 2.0]), same([2.0, 2.0]))
print(named([1.0, 2.5]))
print(labels(4))
print(shown([1.0, 2.0]))
fn spelled(x) {
    for c in "{x}" { print(c, end="-") }
    let s = "{x}"
    (s[0], len(s), int(s) + 1)
}
print(spelled(40 + sum([1, 1])))
print(text.upper("value {sum(arange(4))}"))

# expect: true false
# expect: 2.0|5.0
# expect: 0 1 4 9
# expect: x is [1, 2]
# expect: 3.0
# expect: 4-2-("4", 2, 43)
# expect: VALUE 6
