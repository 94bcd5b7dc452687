# If a known operand of `and` or `or` decides the result, the result is known, also in interpreted code.
fn either(x, mode) = if x > 1 or mode == "fast" { 1 } else { 0.5 }
fn either_late(x, mode) {
    let _ = time()
    if x > 1 or mode == "fast" { 1 } else { 0.5 }
}
fn both(x, mode) = if x > 1 and mode == "fast" { 1 } else { 0.5 }
fn both_late(x, mode) {
    let _ = time()
    if x > 1 and mode == "fast" { 1 } else { 0.5 }
}
for x in (0.5, 2.0) {
    for mode in ("fast", "slow") {
        print(either(x, mode), either_late(x, mode), both(x, mode), both_late(x, mode))
    }
}
# expect: 1 1 0.5 0.5
# expect: 0.5 0.5 0.5 0.5
# expect: 1 1 1.0 1.0
# expect: 1.0 1.0 0.5 0.5
