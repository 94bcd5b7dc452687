# A text alone is no tree of arrays.
print(tree.norm("a"))
# error: PM0504 "tree.norm("a")"
# message: `tree.norm` needs arrays, or tuples and records of them, got str
