# A text that ends too early can be of a newer version, too.
let x = (1,
needs_version("23.5")

# error: PM0128 ""23.5""
# message: this program needs Polymap 23.5, and this is Polymap 0.1.0
# help: install Polymap 23.5 or newer, or use an older version of the program
# error: PM0005
# message: missing `)`
# second: "(" this `(` is not closed
# help: add `)`
