print(zzz)

# stderr: error[PM0101]: unknown name `zzz`
# stderr:  --> tests/lang/diagnostics/unknown_far_name.pm:1:7
# stderr: 1 | print(zzz)
# stderr:   |       ^^^
# exit: 1
