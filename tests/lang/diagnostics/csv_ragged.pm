# The message names the row whose number of fields differs from that of the first row.
print(read_csv("tests/lang/data/ragged.csv"))

# error: PM0606 "read_csv("tests/lang/data/ragged.csv")"
# message: tests/lang/data/ragged.csv, line 3, column 1: 1 field in this line, 2 in the first
# help: write nan where a number is missing
