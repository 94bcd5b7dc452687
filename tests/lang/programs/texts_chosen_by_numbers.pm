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
fn grade(x) {
    if x > 0.9 { return "A" }
    if x > 0.5 { "B" } else { "C" }
}
print((grade(v) for v in [0.95, 0.6, 0.1]), grade([0.7][0]), jit(fn(x) = grade(x[0]))([0.95]))
fn cell(x, i) = if abs(x[i]) >= 100 { "{x[i]:.0f}" } else { "{x[i]:.2g}" }
fn cells(t) = (cell(x, i) for x in (t.x, t.n) for i in 0..2)
print(cells({x: [2 / 3, 200.0], n: [7.0, 8.0]}))
fn up_to_negative(x) {
    mut s = ""
    for v in x {
        if v < 0 { break }
        if v == 0 { continue }
        s = s + grade(v)
    }
    s
}
print(up_to_negative([0.95, 0.0, 0.1, -1.0, 0.3]))
fn first_negative(x) {
    for v in x { if v < 0 { return "negative {v}" } }
    "none"
}
print(first_negative([1.0, -2.0]), first_negative([1.0]))
fn described(x) {
    mut name = "none"
    if sum(x) > 0 { name = "some" }
    (if sum(x) > 0 { (1.0, name) } else { (2.0, name) }, {x: x, name: name})
}
print(described([1.0]), described([-1.0]))
fn or_fails(x) = if sum(x) > 0 { "above" } else { fail("below") }
print(or_fails([1.0]), attempt(or_fails, [-1.0]).error.message)
# The other values of the sides have one type in interpreted functions too.
fn first_text(x) = if sum(x) > 0 { ("a", x) } else { ("b", 1.0) }
fn last_text(x) = if sum(x) > 0 { (x, "a") } else { (1.0, "b") }
print(attempt(first_text, [1.0]).error.code, attempt(last_text, [1.0]).error.code)

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
# expect: ("A", "B", "C") B A
# expect: ("0.67", "200", "7", "8")
# expect: AC
# expect: negative -2.0 none
# expect: ((1.0, "some"), {x: [1], name: "some"}) ((2.0, "none"), {x: [-1], name: "none"})
# expect: above below
# expect: PM0272 PM0272
