print(arctan2(1.0))

# error: PM0103 "arctan2(1.0)"
# message: `arctan2` takes 2 arguments, got 1
# help: call it as arctan2(
