test "first" { assert(1 < 2) }
