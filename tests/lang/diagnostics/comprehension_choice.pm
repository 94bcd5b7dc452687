let c = [s + t for s in [1, 2] for t [3, 4]]
let d = print(1 if true else 2)
let e = (s for s in "abc" if s > "a" if s < "c")

# error: PM0001 "["
# error: PM0001 "if"
# help: a choice is `if c { a } else { b }`
# error: PM0001 "if"
# help: a comprehension has one `if`; join two conditions: `a and b`
