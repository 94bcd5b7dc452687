# Functions of text, and formats.
let name = "lane"
let x = 3.14159
print("{name}: {x:.2f}, {{braces}}, {1 + 1:3}|{7:<3}|{255:x}")
print("tab\tquote\" backslash\\ \u{e9}")
print("a", "b", sep="-", end="!\n")
print(len("four"), "b" in "abc", "ab" + "cd", str(12) + "!")
mut line = "-" * 4
line *= 2
print(line, "ab" * 0 + "|", "x" * -1 + "|")
print("{arange(3.0):.1f} {(1, 2.5)}")

# expect: lane: 3.14, {braces},   2|7  |ff
# expect: tab	quote" backslash\ é
# expect: a-b!
# expect: 4 true abcd 12!
# expect: -------- | |
# expect: [0.0, 1.0, 2.0] (1, 2.5)
