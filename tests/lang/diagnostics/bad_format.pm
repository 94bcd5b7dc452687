print("{3.7:d}")

# error: PM0116 "{3.7:d}"
# message: `d` is not a format for a float
# note: `d` is for integers
# help: `.0f` shows a number without its fraction, i32(x) cuts it off
