print(zeros(3, dtype=c128))
# error: PM0801 "c128"
