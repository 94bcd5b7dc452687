fn f(x) {
    if x > 3 { break }
    x
}
print(f(1))

# configs: compiled
# error: PM0026 "break"
# message: `break` outside a loop
