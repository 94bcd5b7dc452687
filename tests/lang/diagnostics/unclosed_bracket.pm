# The error is after the last token inside of the bracket; the message also shows the bracket.
print(len("abc")#...

# configs: compiled
# error: PM0005 "#"
# message: missing `)`
# second: "(" this `(` is not closed
# help: add `)`
