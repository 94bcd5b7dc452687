print(i32(2j))
# error: PM0208 "i32(2j)"
# message: a complex number cannot become a i32: its imaginary part would be lost
