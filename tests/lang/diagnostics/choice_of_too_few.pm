# It is an error to draw more elements than there are without replacement; the message has both numbers.
print(random.choice(random.key(0), 3, shape=(3,), replace=false).shape)
print(random.choice(random.key(0), 3, shape=(5,), replace=false))

# expect: (3,)
# error: PM0504 "random.choice(random.key(0), 3, shape=(5,), replace=false)"
# message: `random.choice` without replacement cannot draw 5 of 3 elements
