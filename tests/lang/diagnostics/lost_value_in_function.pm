fn f(x) {
    for i in 0..3 { x + i }
    x
}
print(f(1))

# error: PM0110 "x + i"
# message: the value of this statement is lost, and it does nothing else
