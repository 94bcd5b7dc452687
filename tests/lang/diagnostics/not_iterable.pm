for i in 3 { print(i) }

# error: PM0115 "3"
# message: a `for` cannot run over an integer
# help: count with a range: `for i in 0..n`
