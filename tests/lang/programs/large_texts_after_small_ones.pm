# A function of texts that was called with a small text keeps its results for large ones.
import text
fn words(s) = len(text.split(s, " "))
let large = "a b " * 20000
print(words("a b"), words("c"), words(large), words(large), words("a"))
# Nested tuples of texts are passed to functions in time proportional to their size.
mut nested = ("x",)
for i in 0..500 { nested = (nested, "y", "z") }
fn same(t) = t
mut t = same(tree_map(fn(x) = x, nested))
mut depth = 0
while kind(t) == "tuple" {
    t = t[0]
    depth += 1
}
print(depth, t)

# expect: 2 1 40001 40001 1
# expect: 501 x
