print("before")
fail("nothing to do with {[1, 2]}")
print("after")

# expect: before
# error: PM0504 "fail("nothing to do with {[1, 2]}")"
# message: nothing to do with [1, 2]
