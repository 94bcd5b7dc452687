# A replacement refers to groups of its pattern.
print(attempt(regex.replace, "a", "a", r"\1").error.message)
print(attempt(regex.replace, "a", "a", r"\d").error.message)
regex.replace("a", "(a)(b)?", r"\3")

# expect: `regex.replace`: the replacement needs the digit 0 (the match) or a second backslash after each backslash, got "\\1"
# expect: `regex.replace`: the replacement needs the digit 0 (the match) or a second backslash after each backslash, got "\\d"
# error: PM0111 "regex.replace("a", "(a)(b)?", r"\3")"
# message: `regex.replace`: the replacement needs a digit from 0 (the match) to 2 (the last group) or a second backslash after each backslash, got "\\3"
# note: it is regex.replace(s, pattern, by): The text s with each match replaced by `by`
