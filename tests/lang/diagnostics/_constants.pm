let c = 4
mut count = 1
