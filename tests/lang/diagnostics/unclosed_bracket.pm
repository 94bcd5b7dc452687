# The error is after the last token in the bracket; the bracket is the second place.
print(len("abc")#...

# configs: compiled
# error: PM0005 "#"
# message: missing `)`
# second: "(" this `(` is not closed
# help: add `)`
