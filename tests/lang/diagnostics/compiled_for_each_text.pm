fn codes(s) = pad(encode(s), (0, 20 - len(s)))
let texts = ("item {i}" for i in 0..80)
print(stack((codes(s) for s in texts)).shape)

# exit: 0
# expect: (80, 20)
# error: PM0119 "codes(s)"
# message: `codes` was compiled 64 times for this call, each time for other arguments
# note: it had another text before
# help: a text is a constant in the code: write the expression in place of the call, or make numbers of all texts before, as by text.indices, and pass these
