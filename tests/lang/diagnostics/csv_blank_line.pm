print(read_csv("tests/lang/data/blank_line.csv"))

# error: PM0606 "read_csv("tests/lang/data/blank_line.csv")"
# message: tests/lang/data/blank_line.csv, line 3, column 1: this line is blank
# help: remove it, or write nan where numbers are missing
