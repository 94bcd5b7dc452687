print(1 + 2))

# configs: compiled
# error: PM0006 ")"
# message: `)` closes nothing
