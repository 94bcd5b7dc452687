let p = {w: 1, w: 2}
print(p)

# configs: compiled
# error: PM0019 "w"
# message: the field `w` is given twice
# second: "w"
