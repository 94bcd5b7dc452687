# An option that pm does not have may be meant for the program: the message says where options of the program are given.
# configs: compiled
# options: --x
# exit: 2
# stderr: error[PM0902]: The following argument was not expected: --x
# stderr: help: write arguments of the program after --: pm run {*}option_of_a_program.pm -- ARGUMENTS
# stderr: help: `--help` lists the options
print(args)
