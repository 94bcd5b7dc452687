# Functions that a module of the library takes from an inner one are told by the name that the program has for them.
print(linalg.pinv([[1.0]], rtol=1j))
# error: PM0203 "linalg.pinv([[1.0]], rtol=1j)"
# message: `linalg.pinv` takes bool, integers and floats, not c64
