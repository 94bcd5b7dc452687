let params = {weights: ones(3), bias: 0.0}
print(params.wieghts)

# error: PM0107 "wieghts"
# message: the record has no field `wieghts`
# caret: did you mean `weights`?
