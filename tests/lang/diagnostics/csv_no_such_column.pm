print(read_csv("tests/lang/data/words.csv", columns=("a", "c")))

# error: PM0601 "read_csv("tests/lang/data/words.csv", columns=("a", "c"))"
# message: tests/lang/data/words.csv has no column 'c', only a, b
