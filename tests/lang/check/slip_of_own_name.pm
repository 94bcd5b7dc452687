# For a misspelt name the message proposes also arguments of the function and names of the module.
# command: check
# configs: compiled
let inputs = [1.0, 2.0]
fn f(configs) = config + input

# error: PM0101 "config"
# message: unknown name `config`
# caret: did you mean `configs`?
# help: nothing is configured: f64 is always there, as zeros(3, dtype=f64)
# error: PM0101 "input"
# message: unknown name `input`
# caret: did you mean `inputs`?
# help: a program takes its values from files and from its host: read_text(path)
