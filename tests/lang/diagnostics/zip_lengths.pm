let names = ("a", "b", "c")
for (name, x) in zip(names, ones((2, 3))) {
    print(name, x)
}

# error: PM0202 "zip(names, ones((2, 3)))"
# message: `zip` needs operands of one shape, but they are length 3 and length 2
# second: "names" a tuple of 3
# second: "ones((2, 3))" f32[2, 3]
# help: cut the longer one: `x[:2]`
