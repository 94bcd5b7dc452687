# At most eight calls are shown; the message has the number of the others. Calls of one place count as one.
fn f0(x) = x @ ones(3)
fn f1(x) = f0(x)
fn f2(x) = f1(x)
fn f3(x) = f2(x)
fn f4(x) = f3(x)
fn f5(x) = f4(x)
fn f6(x) = f5(x)
fn f7(x) = f6(x)
fn f8(x) = f7(x)
fn f9(x) = f8(x)
fn down(x, n) = if n == 0 { f9(x) } else { down(x, n - 1) }
down(ones(4), 20)

# error: PM0278 "x @ ones(3)"
# calls: 3:12 4:12 5:12 6:12 7:12 8:12 9:12 10:12
# note: and 3 more calls
