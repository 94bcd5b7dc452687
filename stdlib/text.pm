# Functions of text known at compile time: cutting, joining, searching. Indices count characters, as in s[i] and len(s).
# Blanks are spaces, tabs and line ends.

## text.split(s, separator=none): The parts of s between separators, a tuple. Without `separator` the words between
## blanks. An empty separator is an error.
fn split(s, separator=none) = _text_split(s, separator)

## text.lines(s): The lines of s, a tuple, without an empty last line. Lines end with "\n" or "\r\n".
fn lines(s) {
    let parts = _text_split(_text_replace(s, "\r\n", "\n"), "\n")
    if parts[-1] == "" { parts[:-1] } else { parts }
}

## text.join(parts, separator=""): One string of the parts with the separator between them.
fn join(parts, separator="") = _text_join(parts, separator)

## text.replace(s, old, by): The string s with every occurrence of `old` replaced by `by`, from left to right.
## An empty `old` is an error.
fn replace(s, old, by) = _text_replace(s, old, by)

## text.find(s, part): The index of the character where `part` first begins in s, or -1 if s does not contain it.
fn find(s, part) = _text_find(s, part)
## text.contains(s, part): True if `part` occurs in s, else false.
fn contains(s, part) = part in s
## text.starts_with(s, part): True if s begins with `part`, else false.
fn starts_with(s, part) = _text_find(s, part) == 0
## text.ends_with(s, part): True if s ends with `part`, else false.
fn ends_with(s, part) = len(part) <= len(s) and s[len(s) - len(part):] == part

## text.strip(s): The string s without the blanks at both ends.
fn strip(s) = _text_strip(s)
## text.upper(s): The string s with a to z replaced by A to Z. Other characters are kept.
fn upper(s) = _text_upper(s)
## text.lower(s): The string s with A to Z replaced by a to z. Other characters are kept.
fn lower(s) = _text_lower(s)

## text.characters(s): The characters of s, a tuple of strings.
fn characters(s) = tuple(s)
## text.codes(s): The UTF-8 bytes of s, u8[n].
fn codes(s) = encode(s)

## text.repeat(s, n): The string s repeated n times. `n` is an integer of at least 0.
fn repeat(s, n) = _text_join((s,) * _count(n, "the `n` of `text.repeat`"), "")

test "cutting and joining" {
    assert(split("a,b,,c", ",") == ("a", "b", "", "c"))
    assert(split("  two   words ") == ("two", "words"))
    assert(lines("one\r\ntwo\n") == ("one", "two"))
    assert(join(("a", "b"), "-") == "a-b")
    assert(replace("aXbX", "X", "..") == "a..b..")
    assert(find("hello", "l") == 2 and find("hello", "z") == -1)
    assert(find("für Ärger", "Ä") == 4 and "für Ärger"[find("für Ärger", "rg")] == "r")
    assert(
        replace("aaaa", "aa", "a") == "aa" and
        replace("xay", "a", "") == "xy" and
        replace("", "a", "b") == "",
    )
    assert(starts_with("hello", "he") and ends_with("hello", "lo") and not ends_with("hello", "he"))
    assert(ends_with("aaa", "aa") and not ends_with("a", "ba") and ends_with("a", ""))
    assert(upper(strip(" ab ")) == "AB" and repeat("ab", 3) == "ababab")
    assert(decode(encode("grüße")) == "grüße")
}
