import uneven
# error: PM0804 "uneven"
