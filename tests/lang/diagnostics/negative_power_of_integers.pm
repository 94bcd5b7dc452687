fn inverse(x) = x ** -1
print(inverse([1, 2, 3]))

# error: PM0287 "x ** -1"
# message: `**` does not take i32[3] and -1
# note: integers have no inverses among integers
# help: compute with floats: `f32(x) ** -1`
