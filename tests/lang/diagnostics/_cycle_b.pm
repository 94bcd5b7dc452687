import "_cycle_a.pm" as a
