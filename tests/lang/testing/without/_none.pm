# A file without tests that is found in a folder.
print("this is not printed")
