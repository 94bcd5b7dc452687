# For the unknown value of an option the message lists the values that the library accepts.
let x = [1.0, 2.0]
print(convolve(x, x, mode="full"))
print(nn.variance_scaling(1.0, "fan_in", "normal")(random.key(0), (2, 2)).shape)
print(convolve(x, x, mode="Same"))

# expect: [1, 4, 4]
# expect: (2, 2)
# error: PM0111 ""Same""
# message: the `mode` of `convolve` needs "full", "same" or "valid", got "Same"
