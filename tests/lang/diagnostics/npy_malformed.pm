print(load_npy("tests/lang/data/words.csv"))

# error: PM0606 "load_npy("tests/lang/data/words.csv")"
# message: tests/lang/data/words.csv is no .npy file
# help: read it with read_csv("tests/lang/data/words.csv")
