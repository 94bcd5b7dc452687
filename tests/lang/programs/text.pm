# Text and formats.
let name = "lane"
let x = 3.14159
print("{name}: {x:.2f}, {{braces}}, {1 + 1:3}|{7:<3}|{255:x}")
print("tab\tquote\" backslash\\ \u{e9}")
print("a", "b", sep="-", end="!\n")
print(len("four"), "b" in "abc", "ab" + "cd", str(12) + "!")
print("{arange(3.0):.1f} {(1, 2.5)}")
