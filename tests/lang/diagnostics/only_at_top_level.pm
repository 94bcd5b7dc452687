fn f(x) {
    import linalg
    linalg.norm(x)
}
print(f(ones(4)))

# configs: compiled
# error: PM0028 "linalg"
# message: `import` is allowed only at the top level of a file
