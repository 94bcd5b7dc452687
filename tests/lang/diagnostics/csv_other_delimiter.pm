# A table of one column that a semicolon divides is told from one of text; who names the delimiter knows better.
assert(read_csv("tests/lang/data/semicolons.csv", delim=",")["a;b"][0] == "1;2")
print(read_csv("tests/lang/data/semicolons.csv"))

# error: PM0606 "read_csv("tests/lang/data/semicolons.csv")"
# message: tests/lang/data/semicolons.csv, line 1, column 2: each line is one field, which ';' divides into 2
# help: fields that are divided by ';' are read with delim=";"; delim="," reads the lines as they are
