fn f(x) {
    let y = [if i > 0 { return 2 } else { i } for i in 0..3]
    y
}
print(f(1))

# configs: compiled
# error: PM0037 "return 2"
# message: `return` cannot leave from inside an expression
# help: let the `if` be a statement of its own that assigns a `mut` name
