# The error is reported once, in the file that imports itself.
import "_imports_itself.pm" as a

# error: PM0114 ""_imports_itself.pm""
# message: `_imports_itself.pm` imports itself: _imports_itself.pm -> _imports_itself.pm
