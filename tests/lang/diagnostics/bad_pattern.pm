# The message of a wrong pattern has the reason, and the position where there is one.
let wrong = (
    r"a(b", r"ab)c)", r"[a**", r"[**]x**", r"a{3,2}", r"a{1001}", r"*a", r"\q", r"(a)\1", r"[b-a]", r"[[:no:]]",
    r"x(?<!a)", r"(?P<n>a)(?P<n>b)", r"ü[**]\q", r"\pN\p{No}\p{Noo}", r"a\C",
)
for pattern in wrong {
    let e = attempt(regex.find, "a", pattern).error
    print("{e.code} {e.message}", e.help)
}
print(attempt(regex.test, "", r"(\pL{30}){30}").error.message)
let long = attempt(regex.split, "", "a" * 65537).error.message
print(len(long) < 300, long[-39:])
regex.test("a", r"a\")

# configs: compiled

# expect: PM0127 `regex.find`: the pattern `a(b` is not valid: a `(` is not closed ("a `(` itself is written `\\(`",)
# expect: PM0127 `regex.find`: the pattern `ab)c)` is not valid: at character 2, this `)` closes no `(` ("a `)` itself is written `\\)`",)
# expect: PM0127 `regex.find`: the pattern `[a**` is not valid: `[a**` has no `]` ("a `[` itself is written `\\[`",)
# expect: PM0127 `regex.find`: the pattern `[**]x**` is not valid: at character 5, `**` repeats a repetition ("put what is repeated into a group: `(?:a*)*`",)
# expect: PM0127 `regex.find`: the pattern `a{3,2}` is not valid: at character 1, the bounds of `{3,2}` are not in order, or above 1000 ()
# expect: PM0127 `regex.find`: the pattern `a{1001}` is not valid: at character 1, the bounds of `{1001}` are not in order, or above 1000 ()
# expect: PM0127 `regex.find`: the pattern `*a` is not valid: at character 0, nothing is before `*` ("a sign itself is written with a backslash: `\\*`",)
# expect: PM0127 `regex.find`: the pattern `\q` is not valid: there is no escape `\q` ("patterns have no lookahead, lookbehind, back-references or atomic groups, so that a search takes linear time; a group is named by (?P<name>...)",)
# expect: PM0127 `regex.find`: the pattern `(a)\1` is not valid: at character 3, there is no escape `\1` ("patterns have no lookahead, lookbehind, back-references or atomic groups, so that a search takes linear time; a group is named by (?P<name>...)",)
# expect: PM0127 `regex.find`: the pattern `[b-a]` is not valid: at character 1, `b-a` is not a range or class of characters ("a `-` itself is written `\\-`; classes are `\\pL`, `\\p{Greek}`, `[[:alpha:]]`",)
# expect: PM0127 `regex.find`: the pattern `[[:no:]]` is not valid: at character 1, `[:no:]` is not a range or class of characters ("a `-` itself is written `\\-`; classes are `\\pL`, `\\p{Greek}`, `[[:alpha:]]`",)
# expect: PM0127 `regex.find`: the pattern `x(?<!a)` is not valid: at character 1, there is no group `(?<` ("patterns have no lookahead, lookbehind, back-references or atomic groups, so that a search takes linear time; a group is named by (?P<name>...)",)
# expect: PM0127 `regex.find`: the pattern `(?P<n>a)(?P<n>b)` is not valid: two of its groups have the same name ()
# expect: PM0127 `regex.find`: the pattern `ü[**]\q` is not valid: at character 5, there is no escape `\q` ("patterns have no lookahead, lookbehind, back-references or atomic groups, so that a search takes linear time; a group is named by (?P<name>...)",)
# expect: PM0127 `regex.find`: the pattern `\pN\p{No}\p{Noo}` is not valid: at character 9, `\p{Noo}` is not a range or class of characters ("a `-` itself is written `\\-`; classes are `\\pL`, `\\p{Greek}`, `[[:alpha:]]`",)
# expect: PM0127 `regex.find`: the pattern `a\C` is not valid: at character 1, `\C` matches a part of a character ("`.` matches a character, `(?s:.)` a line end too",)
# expect: `regex.test`: the pattern `(\pL{30}){30}` is not valid: it is too large
# expect: true  65537 bytes, at most 65536 are allowed
# error: PM0127 "regex.test("a", r"a\")"
# message: `regex.test`: the pattern `a\` is not valid: it ends in a single backslash
# note: it is regex.test(s, pattern): Whether a part of s matches
# help: a backslash itself is written `\\`
