# Names of three letters that share one are not near; those with the same letters are.
print(sni(0.0))

# error: PM0101 "sni"
# caret: did you mean `sin`?
