# Regular expressions of texts known at compile time, in the syntax of RE2: https://github.com/google/re2/wiki/Syntax.
# Patterns are best written as raw texts: r"\d{4}-\d{2}". One search takes time proportional to the length of the text;
# find_all, replace and split search once for each match.
# Indices count characters, as in s[i] and len(s).
#
# A match is a record:
#     text    the part of the text that matches
#     start   the index of its first character
#     stop    the index of the character after it: s[m.start:m.stop] == m.text
#     groups  the texts of the groups ( ), a tuple; `none` for a group that takes no part in the match
#     named   the texts of the groups (?P<name> ), a record
# Case is ignored after (?i), `.` matches line ends after (?s), `^` and `$` match at each line after (?m).

## regex.test(s, pattern): Whether a part of s matches.
fn test(s, pattern) = _regex_test(s, pattern)

## regex.find(s, pattern): The first match in s, a record {text, start, stop, groups, named}; `none` if there is none.
fn find(s, pattern) = _regex_find(s, pattern)

## regex.match(s, pattern): The match of the whole of s, as regex.find; `none` if the whole does not match.
fn match(s, pattern) = _regex_match(s, pattern)

## regex.find_all(s, pattern): All matches from left to right, a tuple of records as regex.find. Matches do not overlap.
## An empty match directly after a match does not count.
fn find_all(s, pattern) = _regex_find_all(s, pattern)

## regex.groups(s, pattern): The groups of the first match in s: a record of its named groups if the pattern has names,
## otherwise a tuple of all groups. `none` if there is no match.
fn groups(s, pattern) {
    let m = _regex_find(s, pattern)
    if m == none { none } else if len(m.named) > 0 { m.named } else { m.groups }
}

## regex.replace(s, pattern, by): The text s with each match replaced by `by`. In `by`, \1 to \9 stand for the groups,
## \0 for the match, and \\ for a backslash: regex.replace(s, r"(\w+) (\w+)", r"\2 \1").
fn replace(s, pattern, by) = _regex_replace(s, pattern, by)

## regex.split(s, pattern): The parts of s between the matches, a tuple. Empty matches do not split.
fn split(s, pattern) = _regex_split(s, pattern)

## regex.escape(s): A pattern that matches exactly the text s.
fn escape(s) = _regex_escape(s)

test "the first match and its groups" {
    let m = find("on 2024-02-29, für 2025-03-01", r"(\d+)-(\d+)-(\d+)")
    assert(m.text == "2024-02-29" and m.groups == ("2024", "02", "29") and m.named == {})
    assert(m.start == 3 and m.stop == 13)
    assert(find("a", "b") == none and match("ab", "a") == none and match("", "") != none)
    let d = find("grüße: x=10", r"(?P<name>\w)=(?P<value>\d+)?(z)?")
    assert(d.named == {name: "x", value: "10"} and d.groups == ("x", "10", none))
    assert("grüße: x=10"[d.start:d.stop] == d.text and d.start == 7)
    assert(match("ab", "a|ab").text == "ab" and find("ab", "a|ab").text == "a")
    assert(groups("k=v", r"(\w)=(\w)") == ("k", "v") and groups("k", "(z)") == none)
    assert(groups("k=v", r"(?P<key>\w)=(\w)") == {key: "k"})
    assert(test("ABC", "(?i)b") and not test("ABC", "b") and not test("a\nb", "a.b"))
    assert(test("a\nb", "(?s)a.b") and test("a\nb", "(?m)^b$") and not test("a\nb", "^b"))
    assert(find("日本", ".").stop == 1 and find("日本", r"\p{Han}+").text == "日本")
}

test "all matches" {
    fn texts(s, pattern) = (m.text for m in find_all(s, pattern))
    assert(
        texts("a1b22", r"\d+") == ("1", "22") and texts("", "a") == () and texts("", "") == ("",),
    )
    assert((m.start for m in find_all("üaüa", "a")) == (1, 3))
    # an empty match does not count directly after a match
    assert(texts("axb", "x*") == ("", "x", "") and texts("aaa", "aa") == ("aa",))
    assert((m.start for m in find_all("äö", "")) == (0, 1, 2))
    assert(texts("ab ac", r"\ba") == ("a", "a") and texts("aa", "^a") == ("a",))
}

test "replacing and splitting" {
    assert(replace("ab cd", r"(\w)(\w)", r"\2\1") == "ba dc" and replace("a", "b", "c") == "a")
    assert(replace("a.b", r"\.", r"\\") == r"a\b" and replace("ab", "x*", "-") == "-a-b-")
    assert(replace("abc", "b", r"<\0>") == "a<b>c" and replace("äxö", "x", "") == "äö")
    assert(replace("ac", "(b)?c", r"[\1]") == "a[]")
    assert(split("a, b;c", r"[,;]\s*") == ("a", "b", "c") and split("", ",") == ("",))
    assert(split(",a,", ",") == ("", "a", "") and split("abc", "x*") == ("abc",))
    for s in ("a.b*c", r"\d[", "(?i)ü", "") {
        assert(match(s, escape(s)).text == s)
    }
    assert(escape("1.5") == r"1\.5" and not test("1x5", escape("1.5")))
}
