# `each` needs arrays of one length along axis 0.
each({x: ones((3, 2)), y: arange(4)})
# error: PM0202 "each({x: ones((3, 2)), y: arange(4)})"
# message: `each` needs operands of one shape, but they are length 3 and length 4
