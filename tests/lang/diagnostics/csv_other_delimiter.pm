# A table with semicolons has one column here; the message is not that of a table of text. `delim` omits the check.
assert(read_csv("tests/lang/data/semicolons.csv", delim=",")["a;b"][0] == "1;2")
print(read_csv("tests/lang/data/semicolons.csv"))

# error: PM0606 "read_csv("tests/lang/data/semicolons.csv")"
# message: tests/lang/data/semicolons.csv, line 1, column 2: each line is one field, which ';' divides into 2
# help: fields that are divided by ';' are read with delim=";"; delim="," reads the lines as they are
