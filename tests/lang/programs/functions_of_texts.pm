# Functions of texts are called many times: each call has the result of a first call, and a function that also works on
# data, prints or fails is called as any function.
fn shout(s) = text.upper(text.strip(s)) + "!"
print(text.join((shout(" {c} ") for c in "abc"), " "))

# A function that has data for some texts only.
fn initial(kind, n=2) =
    if kind == "zeros" { zeros(n) } else if kind == "ones" { ones(n) } else { kind }
print((initial(k) for k in ("none", "all", "zeros", "other", "ones", "none")))

# Known results are numbers, tuples and records.
fn parts(line) {
    let words = text.split(line)
    {count: len(words), first: words[0], words}
}
print((parts(line) for line in ("a b c", "d e", "f")))
fn size(s) = len(s) * 100_000_000_000
print((size(s) for s in ("a", "bb", "ccc")))

# Names of the module change between the calls.
mut mark = "?"
mut width = 1
fn marked(s) = s + mark
fn wide(s) = s + text.repeat("-", width)
let first = (marked(s) for s in ("a", "b", "c"))
mark = "#"
print(first, (marked(s) for s in ("a", "b", "c")))
print((wide(s) for s in ("a", "b")))
width = 3
print((wide(s) for s in ("a", "b")))

# A function that prints, also one that only some texts make print.
fn told(s) {
    if s == "c" { print("told of {s}") }
    s
}
print((told(s) for s in ("a", "b", "c", "d")))
mut seen = ()
for s in ("a", "b", "c") { seen = seen + (told(s),) }
print(seen)

# Functions that call themselves.
fn reversed_text(s) = if len(s) < 2 { s } else { reversed_text(s[1:]) + s[0] }
print((reversed_text(s) for s in ("", "a", "abc", "polymap", "abcdefghijklmnopqrstuvwxyz")))

# A failure has its place and its calls, however often the function was called before.
fn second(s) = text.split(s)[1]
fn outer(s) = second(s) + "."
print((outer(s) for s in ("a b", "c d", "e f")))
let failed = attempt(outer, "g")
print(failed.ok, failed.error.code, text.lines(failed.error.text)[0])
print((outer(s) for s in ("a b", "c d")))

# In functions that are compiled or interpreted.
fn named(x, s) = x * len(shout(s))
print((named(f32(1), s) for s in ("a", "bb", "ccc")))
print(vmap(fn(x) = named(x, "dd"))(arange(3.0)), grad(fn(x) = named(x, "dd"))(1.0))
fn logged(s) {
    print("{s} became {shout(s)}")
    shout(s)
}
print((logged(s) for s in ("x", "y")))

# expect: A! B! C!
# expect: ("none", "all", [0, 0], "other", [1, 1], "none")
# expect: ({count: 3, first: "a", words: ("a", "b", "c")}, {count: 2, first: "d", words: ("d", "e")}, {count: 1, first: "f", words: ("f",)})
# expect: (100000000000, 200000000000, 300000000000)
# expect: ("a?", "b?", "c?") ("a#", "b#", "c#")
# expect: ("a-", "b-")
# expect: ("a---", "b---")
# expect: told of c
# expect: ("a", "b", "c", "d")
# expect: told of c
# expect: ("a", "b", "c")
# expect: ("", "a", "cba", "pamylop", "zyxwvutsrqponmlkjihgfedcba")
# expect: ("b.", "d.", "f.")
# expect: false PM0501 error[PM0501]: index 1 is out of range for a tuple of 1
# expect: ("b.", "d.")
# expect: (2.0, 3.0, 4.0)
# expect: [0, 3, 6] 3.0
# expect: x became X!
# expect: y became Y!
# expect: ("X!", "Y!")
