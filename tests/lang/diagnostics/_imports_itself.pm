import "_imports_itself.pm" as itself
