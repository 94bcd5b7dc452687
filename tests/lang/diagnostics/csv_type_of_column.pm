# A number that is not of the type that is given for its column.
print(read_csv("tests/lang/data/words.csv", types={a: bool}))

# error: PM0606 "read_csv("tests/lang/data/words.csv", types={a: bool})"
# message: tests/lang/data/words.csv, line 3, column 1: 3 in a does not fit bool
# help: give the column another type: types={a: i64}
