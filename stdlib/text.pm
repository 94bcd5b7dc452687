# Known text: cutting, joining, searching. Places are counted in characters, as by s[i] and len(s).

## text.split(s, separator=none): the parts between separators, a tuple; without one the words between blanks.
fn split(s, separator=none) = _text_split(s, separator)

## text.lines(s): the lines of a text, without an empty last one.
fn lines(s) {
    let parts = _text_split(_text_replace(s, "\r\n", "\n"), "\n")
    if parts[-1] == "" { parts[:-1] } else { parts }
}

## text.join(parts, separator=""): one text.
fn join(parts, separator="") = _text_join(parts, separator)

## text.replace(s, old, by): every `old` replaced.
fn replace(s, old, by) = _text_replace(s, old, by)

## text.find(s, part): the number of the character where part begins first, or -1.
fn find(s, part) = _text_find(s, part)
## text.contains(s, part): whether part stands in s.
fn contains(s, part) = part in s
## text.starts_with(s, part): whether s begins with part.
fn starts_with(s, part) = _text_find(s, part) == 0
## text.ends_with(s, part): whether s ends with part.
fn ends_with(s, part) = len(part) <= len(s) and s[len(s) - len(part):] == part

## text.strip(s): without blanks at both ends.
fn strip(s) = _text_strip(s)
## text.upper(s): A to Z for a to z.
fn upper(s) = _text_upper(s)
## text.lower(s): a to z for A to Z.
fn lower(s) = _text_lower(s)

## text.characters(s): its characters, a tuple.
fn characters(s) = tuple(s)
## text.codes(s): the UTF-8 bytes, u8[n].
fn codes(s) = encode(s)

## text.repeat(s, n): n times.
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
