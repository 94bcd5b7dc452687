let a = (s for s in "abc" if s == "a")
let b = [s for s in [1, 2] if s == 1]
let c = [s + t for s in [1, 2] for t in [3, 4]]
let d = print(1 if true else 2)

# error: PM0001 "if"
# help: a comprehension takes every element; choose in a loop: if c { t += (x,) }
# error: PM0001 "if"
# help: a comprehension takes every element; choose with a mask: x[x > 0]
# error: PM0001 "for"
# help: a comprehension has one `for`; nest two: [[f(x, y) for y in ys] for x in xs]
# error: PM0001 "if"
# help: a choice is `if c { a } else { b }`
