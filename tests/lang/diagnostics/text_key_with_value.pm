let n = 1
let r = {"layer {n}": 2}
print(r)

# configs: compiled
# error: PM0034 "{n}"
# message: the name of a field cannot hold a value in `{...}`
# help: for braces, write `{{` and `}}`
