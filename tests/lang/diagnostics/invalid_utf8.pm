let a = "cafÿ"
print(a)

# configs: compiled
# error: PM0002 "ÿ"
# message: the source is not valid UTF-8: byte 0xff
