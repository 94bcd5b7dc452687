let data = read_csv("nothing_here.csv")
print(data)

# error: PM0603 "read_csv("nothing_here.csv")"
# message: there is no file nothing_here.csv
# note: paths are relative to the current folder
# help: give its path from there, or the whole path from / on
