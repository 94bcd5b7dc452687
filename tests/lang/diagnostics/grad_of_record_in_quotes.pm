print(grad(fn((a, b)) = b["any text"])((1.0, {"any text": true})))

# error: PM0410
# message: `grad` is taken with respect to `.1["any text"]` of argument 0, which is bool; derivatives need a floating type
