import "_helper.pm" as helper
let offset = 1
print(helper.twice(4), helper.offset, offset)

# expect: 18 10 1
