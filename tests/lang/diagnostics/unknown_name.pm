# The message proposes a similar name.
fn step(grads) = pmeen(grads, "batch")
print(step(1.0))

# error: PM0101 "pmeen"
# message: unknown name `pmeen`
# caret: did you mean `pmean`?
