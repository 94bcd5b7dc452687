fn f(x) {
    sort(x)
    x
}
print(f([3, 1]))
# error: PM0110 "sort(x)"
# message: the value of this statement is lost, and it does nothing else
# help: keep it: let y = sort(x)
