# The error is in the file whose import closes the cycle.
import "_cycle_a.pm" as a

# error: PM0114 ""_cycle_a.pm""
# message: `_cycle_a.pm` imports itself: _cycle_a.pm -> _cycle_b.pm -> _cycle_a.pm
