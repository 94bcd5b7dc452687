# A program with the syntax of a newer version is told its version first.
needs_version("23.5")
let x = 1 ?? 2

# error: PM0128 ""23.5""
# message: this program needs Polymap 23.5, and this is Polymap 0.1.0
# help: install Polymap 23.5 or newer, or use an older version of the program
# error: PM0033 "?"
# message: `?` is not part of the language
# help: a choice is `if c { a } else { b }`
