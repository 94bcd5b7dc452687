# The place is behind what comes last in the bracket; the bracket is the other place.
print(len("abc")#...

# configs: compiled
# error: PM0005 "#"
# message: missing `)`
# second: "(" this `(` is not closed
# help: add `)`
