print(read_csv("tests/lang/data/cut_short.csv.gz", header=false))

# error: PM0607 "read_csv("tests/lang/data/cut_short.csv.gz", header=false)"
# message: tests/lang/data/cut_short.csv.gz is cut short: its packed data ends too early
# help: copy or download it again, and compare its size with the original's
