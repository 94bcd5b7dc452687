# An option that pm does not know may be meant for the program: where those stand is said.
# configs: compiled
# options: --x
# exit: 2
# stderr: The following argument was not expected: --x
# stderr: Run with --help for more information.
# stderr: What is for the program stands behind --: pm run {*}option_of_a_program.pm -- ARGUMENTS
print(args)
