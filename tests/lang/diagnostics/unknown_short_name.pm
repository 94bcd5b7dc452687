# Names of three letters with one letter in common are not similar; names with the same letters are.
print(sni(0.0))

# error: PM0101 "sni"
# caret: did you mean `sin`?
