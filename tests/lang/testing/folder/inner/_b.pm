test "second" { assert(1 < 2) }
