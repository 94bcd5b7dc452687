# The message proposes a file with a similar name.
import "_twicee.pm"

# error: PM0113 ""_twicee.pm""
# message: cannot import `_twicee.pm`: there is no file `tests/lang/diagnostics/_twicee.pm`
# caret: did you mean `_twice.pm`?
