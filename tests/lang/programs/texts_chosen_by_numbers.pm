# Functions in which computed numbers choose among texts, or in which loops change a text, are interpreted.
fn decoded(codes, names) = text.join((names[c] for c in codes), "")
print(decoded([1, 0, 1], ("a", "b")))
fn best(scores, names) = "best: {names[argmax(scores)]}"
print(best([1.0, 3.0, 2.0], ("x", "y", "z")))
fn arrow(ways) = "^v<>"[ways[0]] + "abcdef"[ways[1]:3]
print(arrow([2, 1]))
fn bars(x) = text.join(("#" * int(v) for v in x), " ")
print(bars([1, 3, 2]))
fn chosen(i) = ({name: "one", value: 1}, {name: "two", value: 2})[i[0]]
print(chosen([1]))
fn digits(n) {
    mut (n, s) = (n, "")
    while n > 0 {
        s = str(n % 2) + s
        n //= 2
    }
    s
}
print(digits(5), digits([6][0]))
fn counted(n) {
    mut s = ""
    for i in 0..n { s += "{i % 10}" }
    s
}
print(len(counted(1000)), counted(12))
fn named(i, names) = names[i]
fn best_named(x, names) = "best {named(argmax(x), names)}"
print(best_named([1.0, 3.0], ("a", "b")))
fn sign(v) = ("neg", "pos")[i32(v > 0)]
fn signs(x) { for v in x { print(sign(v)) } }
signs([1.0, -1.0])
fn stars(n) = "*" * n
fn sky(x) = text.join((stars(v) for v in x), " ")
print(sky([1, 2]), named(1, ("a", "b")))

# expect: bab
# expect: best: y
# expect: <bc
# expect: # ### ##
# expect: {name: "two", value: 2}
# expect: 101 110
# expect: 1000 012345678901
# expect: best b
# expect: pos
# expect: neg
# expect: * ** b
