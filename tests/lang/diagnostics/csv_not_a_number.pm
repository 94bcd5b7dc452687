print(read_csv("tests/lang/data/words.csv").b)

# error: PM0606 "read_csv("tests/lang/data/words.csv")"
# message: tests/lang/data/words.csv, line 3, column 3: 'four' in b is not a number
# help: write a number, or nan where one is missing; types={b: "text"} reads the column as text, na=("", "NA", "four") reads this text as missing
