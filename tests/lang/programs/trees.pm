# Tuples and records are trees; they print in the order in which they are written.
let t = (1, (2.5, "x"), true)
print(t, t.1.0, t[-1], t[1:], len(t), (1,) + (2, 3))
let r = {w: 1.0, b: (2, 3), "any text": 4}
print(r, r.w, r["b"], r.b.1, keys(r), "w" in r)
print({..r, w: 9} == {w: 9, b: (2, 3), "any text": 4}, r with .w = 7, without(r, "b"))
let {w, b: (first, *rest)} = r
print(w, first, rest)
let (a, _, *others) = (1, 2, 3, 4)
print(a, others)
print(tree_map(fn(x) = x * 2, {a: 1, b: (2.0, arange(3))}))

# expect: (1, (2.5, "x"), true) 2.5 true ((2.5, "x"), true) 3 (1, 2, 3)
# expect: {w: 1.0, b: (2, 3), "any text": 4} 1.0 (2, 3) 3 ("w", "b", "any text") true
# expect: true {w: 7, b: (2, 3), "any text": 4} {w: 1.0, "any text": 4}
# expect: 1.0 2 (3,)
# expect: 1 (3, 4)
# expect: {a: 2, b: (4.0, [0, 2, 4])}
