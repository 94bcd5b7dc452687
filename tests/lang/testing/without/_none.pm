# Found in a folder, and without tests.
print("this is not printed")
