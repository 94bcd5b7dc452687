# The types of a branch that is not taken are found once for each function, not once for each call.
fn c0(x) {
    write_text("/dev/null", "")
    if x > 0 { 1 } else { 0.5 }
}
fn c1(x) = if x > 1 { c0(x) } else { c0(x - 1) }
fn c2(x) = if x > 2 { c1(x) } else { c1(x - 1) }
fn c3(x) = if x > 3 { c2(x) } else { c2(x - 1) }
fn c4(x) = if x > 4 { c3(x) } else { c3(x - 1) }
fn c5(x) = if x > 5 { c4(x) } else { c4(x - 1) }
fn c6(x) = if x > 6 { c5(x) } else { c5(x - 1) }
fn c7(x) = if x > 7 { c6(x) } else { c6(x - 1) }
fn c8(x) = if x > 8 { c7(x) } else { c7(x - 1) }
fn c9(x) = if x > 9 { c8(x) } else { c8(x - 1) }
fn c10(x) = if x > 10 { c9(x) } else { c9(x - 1) }
fn c11(x) = if x > 11 { c10(x) } else { c10(x - 1) }
fn c12(x) = if x > 12 { c11(x) } else { c11(x - 1) }
fn c13(x) = if x > 13 { c12(x) } else { c12(x - 1) }
fn c14(x) = if x > 14 { c13(x) } else { c13(x - 1) }
fn c15(x) = if x > 15 { c14(x) } else { c14(x - 1) }
fn c16(x) = if x > 16 { c15(x) } else { c15(x - 1) }
fn c17(x) = if x > 17 { c16(x) } else { c16(x - 1) }
fn c18(x) = if x > 18 { c17(x) } else { c17(x - 1) }
fn c19(x) = if x > 19 { c18(x) } else { c18(x - 1) }
fn c20(x) = if x > 20 { c19(x) } else { c19(x - 1) }
fn c21(x) = if x > 21 { c20(x) } else { c20(x - 1) }
fn c22(x) = if x > 22 { c21(x) } else { c21(x - 1) }
fn c23(x) = if x > 23 { c22(x) } else { c22(x - 1) }
fn c24(x) = if x > 24 { c23(x) } else { c23(x - 1) }
fn c25(x) = if x > 25 { c24(x) } else { c24(x - 1) }
fn c26(x) = if x > 26 { c25(x) } else { c25(x - 1) }
fn c27(x) = if x > 27 { c26(x) } else { c26(x - 1) }
fn c28(x) = if x > 28 { c27(x) } else { c27(x - 1) }
fn c29(x) = if x > 29 { c28(x) } else { c28(x - 1) }
fn c30(x) = if x > 30 { c29(x) } else { c29(x - 1) }
print(c30(0), c30(31))

# expect: 0.5 1.0
