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

## text.sort(list): The texts of a tuple in the order of their characters' code points.
fn sort(list) = _text_sort(list)
## text.unique(list): The different texts of a tuple, sorted.
fn unique(list) {
    let sorted = _text_sort(list)
    (sorted[i] for i in 0..len(sorted) if i == 0 or sorted[i] != sorted[i - 1])
}

## text.index(list, s): The index of the first text of the tuple that is equal to s, an integer. A text that is not
## there is an error.
fn index(list, s) {
    for (i, one) in enumerate(list) { if one == s { return i } }
    _refuse("`text.index`: \"{s}\" is not among {len(list)} texts")
}
## text.indices(words, names): The index of each text of the tuple `words` in the tuple `names`, i32[n]. The first of
## equal names counts. It is -1 for a text that is not there. So a text becomes numbers of a vocabulary.
fn indices(words, names) = _text_indices(words, names)

## text.characters(s): The characters of s, a tuple of strings.
fn characters(s) = tuple(s)
## text.codes(s): The UTF-8 bytes of s, u8[n].
fn codes(s) = encode(s)

## text.code_points(s): The Unicode code points of the characters, i32[n].
fn code_points(s) = _code_points(s)
## text.of_code_points(points): The text of the characters with these Unicode code points i32[n]. A number that is not
## the code point of a character is an error.
fn of_code_points(points) = _text_of_code_points(array(points))
## text.repeat(s, n): The string s repeated n times. `n` is an integer of at least 0.
fn repeat(s, n) = _text_join((s,) * _count(n, "the `n` of `text.repeat`"), "")

## text.options(arguments, defaults): The record `defaults` with the values of arguments `--name=value`. `args` has the
## arguments of a program: text.options(args, {epochs: 10, rate: 0.1, verbose: false}). A value is read as the kind of
## its default: an integer, a float, a bool (`--name` alone is true), a text, or a tuple of values between commas. `-`
## in a name counts as `_`. Other arguments are collected in the field `rest`, if `defaults` has it. An unknown name, or
## a value of another kind, is an error. The error of an unknown name, so also of `--help`, lists all options with their
## defaults.
fn options(arguments, defaults) {
    mut found = defaults
    mut rest = ()
    for argument in arguments {
        if not starts_with(argument, "--") {
            if not "rest" in defaults {
                _refuse("`{argument}` is no option: options begin with `--`")
            }
            rest += (argument,)
            continue
        }
        let end = find(argument, "=")
        let name = replace(if end < 0 { argument[2:] } else { argument[2:end] }, "-", "_")
        if not name in defaults or name == "rest" {
            let known = join((_shown(n, default) for (n, default) in defaults if n != "rest"), " ")
            _refuse("there is no option `--{name}`; there are {known}")
        }
        found[name] = if end < 0 {
            _switched_on(defaults[name], name)
        } else {
            _option_value(argument[end + 1:], defaults[name], name)
        }
    }
    if "rest" in defaults { {..found, rest} } else { found }
}
## An option with its default, as it is given.
fn _shown(name, default) {
    let option = "--" + replace(name, "_", "-")
    if _is_bool(default) and not default { return option }
    let items = if kind(default) == "tuple" { default } else { (default,) }
    option + "=" + join(("{item}" for item in items), ",")
}
fn _switched_on(default, name) {
    if not _is_bool(default) { _refuse("the option `--{name}` needs a value: --{name}={default}") }
    true
}
fn _is_bool(v) = _is_numeric(v) and array(v).dtype == bool
## The value of a text, of the kind of `default`.
fn _option_value(given, default, name) {
    if kind(default) == "tuple" {
        let item = if len(default) == 0 { "" } else { default[0] }
        return (_option_value(part, item, name) for part in split(given, ","))
    }
    if not _is_numeric(default) { return given }
    if _is_bool(default) {
        if not given in ("true", "false") {
            _refuse("the option `--{name}` is true or false, got `{given}`")
        }
        return given == "true"
    }
    let whole = _is_integer(array(default).dtype)
    let read = attempt(if whole { int } else { float }, given)
    if not read.ok {
        _refuse("the option `--{name}` needs {if whole { "an integer" } else { "a number" }}, got `{given}`")
    }
    read.value
}

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
    assert(sort(("b", "é", "", "a", "ab")) == ("", "a", "ab", "b", "é") and sort(()) == ())
    assert(index(("b", "a", "b"), "b") == 0 and index(("b", "a"), "a") == 1)
    assert(not attempt(index, ("b",), "a").ok)
    assert(array_equal(indices(("b", "x", "a", "b"), ("a", "b", "a")), [1, -1, 0, 1]))
    assert(indices((), ("a",)).shape == (0,) and indices((), ()).dtype == i32)
    assert(unique(("b", "a", "b", "a")) == ("a", "b") and unique(("x",)) == ("x",))
}

test "options of a program" {
    let given = (
        "--epochs=3",
        "in.csv",
        "--verbose",
        "--learning-rate=1e-3",
        "--layers=128,10",
        "--name=a=b",
    )
    let wanted = {
        epochs: 10,
        learning_rate: 0.1,
        verbose: false,
        layers: (64,),
        name: "run",
        seed: 0,
        rest: (),
    }
    let o = options(given, wanted)
    assert(o.epochs == 3 and o.learning_rate == 0.001 and o.verbose and o.layers == (128, 10))
    assert(o.name == "a=b" and o.seed == 0 and o.rest == ("in.csv",))
    for wrong in (
        "--epoch=3",
        "--epochs=x",
        "--epochs=1.5",
        "--epochs",
        "--verbose=yes",
        "--rest=a",
    ) {
        assert(not attempt(options, (wrong,), wanted).ok)
    }
    assert(not attempt(options, ("file",), {epochs: 1}).ok)
}

test "code points and characters" {
    let s = "aé€😀z"
    assert(array_equal(code_points(s), [97, 233, 8364, 128512, 122]))
    assert(of_code_points(code_points(s)) == s)
    assert(len(code_points("")) == 0 and of_code_points([]) == "")
    assert(not attempt(of_code_points, [0xd800]).ok and not attempt(of_code_points, [-1]).ok)
}
