# If the argument is a number, the condition becomes known. Under vmap it stays unknown, so the types must be equal.
fn f(x) = if x > 0.0 { 1 } else { "no" }
print(f(1.0), f(-1.0))
print(vmap(f)([1.0, 2.0]))

# expect: 1 no
# error: PM0272 "if x > 0.0 { 1 } else { "no" }"
# message: `if` gives an integer on one side and a string on the other
