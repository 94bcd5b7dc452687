let x = zeros((2, 3, 4))
print(x[..., 0, ...].shape)

# configs: compiled
# error: PM0025 "..."
# message: an index can hold only one `...`
# second: "..."
