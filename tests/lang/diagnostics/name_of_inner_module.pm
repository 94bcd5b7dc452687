# For a function of an inner module of the library, the message has the name that the program uses.
print(linalg.pinv([[1.0]], rtol=1j))
# error: PM0203 "linalg.pinv([[1.0]], rtol=1j)"
# message: `linalg.pinv` takes bool, integers and floats, not c64
