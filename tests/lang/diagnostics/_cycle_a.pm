import "_cycle_b.pm" as b
let size = 3
