import "my-model.pm"

# configs: compiled
# error: PM0035 ""my-model.pm""
# message: the import of `my-model.pm` needs a name
# help: import "my-model.pm" as model
