# Three-letter names are similar if they have the same letters, not if they have one letter in common.
print(sni(0.0))

# error: PM0101 "sni"
# caret: did you mean `sin`?
