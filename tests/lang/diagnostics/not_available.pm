print(pargmax(1.0, "i"))
# error: PM0804 "pargmax"
# message: `pargmax` is not available in this version
