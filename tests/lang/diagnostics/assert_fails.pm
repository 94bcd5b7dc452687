fn f(x) {
    assert(x > 0, "x is {x}")
    sqrt(x)
}
print(f(4.0))
print(f(-1.0))

# expect: 2.0
# error: PM0503 "assert(x > 0, "x is {x}")"
# message: x is -1.0 (-1.0 > 0)
