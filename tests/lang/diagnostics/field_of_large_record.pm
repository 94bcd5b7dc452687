let r = {
    part0: 0,
    part1: 1,
    part2: 2,
    part3: 3,
    part4: 4,
    part5: 5,
    part6: 6,
    part7: 7,
    part8: 8,
    part9: 9,
    part10: 10,
    part11: 11,
    part12: 12,
    part13: 13,
    part14: 14,
    part15: 15,
    part16: 16,
    part17: 17,
    part18: 18,
    part19: 19,
    part20: 20,
    part21: 21,
    part22: 22,
    part23: 23,
    part24: 24,
}
print(r.elsewhere)

# error: PM0107 "elsewhere"
# message: the record has no field `elsewhere`
# note: it has part0, part1, part2, part3, part4, part5, part6, part7, part8, part9, part10, part11, part12, part13, part14, part15, part16, part17, part18, part19 and 5 others
