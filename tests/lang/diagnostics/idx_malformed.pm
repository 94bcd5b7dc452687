print(load_idx("tests/lang/data/words.csv"))

# error: PM0606 "load_idx("tests/lang/data/words.csv")"
# message: tests/lang/data/words.csv is no IDX file: it does not begin with two zeros
# help: read it with read_csv("tests/lang/data/words.csv")
