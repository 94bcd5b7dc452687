let (*a, *b) = (1, 2, 3)
print(a, b)

# configs: compiled
# error: PM0024 "b"
# message: a pattern can hold only one `*`
# second: "a"
