# JSON texts and files. Objects are records, lists are tuples, null is `none`. Numbers have 64 bits.

## json.parse(text, arrays=false): The value of a JSON text. With `arrays=true` a list of numbers, of bools, or of such
## lists of one shape is an array: i32, or i64 if an integer does not fit, f32 if one number is not an integer. The last
## of several fields with one name counts. A text that is not JSON is an error, as are more than 1000 levels.
fn parse(text, arrays=false) = _json_parse(text, arrays=arrays)

## json.format(value, indent=0): The JSON text of a tree of numbers, texts, `none`, tuples, records and arrays. With an
## `indent` of 1 to 16 each element is in a line of its own, after `indent` spaces for each level; the elements along the
## last axis of an array are in one line. A table is a record of its columns, and table.rows(t) a list of records.
## Complex numbers, infinities, NaN and functions are errors.
fn format(value, indent=0) = _json_format(value, indent=indent)

## json.read(path, arrays=false): The value of a JSON file, UTF-8, perhaps packed by gzip, as json.parse.
fn read(path, arrays=false) = _json_read(path, arrays=arrays)

## json.write(path, value, indent=2): Writes the value as a JSON file, as json.format. The file is replaced as a whole.
fn write(path, value, indent=2) = _json_write(path, value, indent=indent)

test "a text is read back" {
    let all = {
        a: (1, -2.5, true, none),
        "b c": {text: "line\n\"quoted\" ü", empty: (), nothing: {}},
        big: 2 ** 62,
    }
    assert(parse(format(all)) == all and parse(format(all, indent=3)) == all)
    assert(
        format({x: [[1, 2], [3, 4]], y: [0.1, 2.0], z: [true]}) ==
        "{{\"x\":[[1,2],[3,4]],\"y\":[0.1,2.0],\"z\":[true]}}",
    )
    assert(format(((), {}), indent=2) == "[\n  [],\n  {{}}\n]")
    assert(parse("{{\"a\": 1, \"a\": 2}}") == {a: 2})
    let x = parse(
        "{{\"m\": [[1, 2.5], [3, 4]], \"mixed\": [[1], [2, 3]], \"on\": [true, 1]}}",
        arrays=true,
    )
    assert(parse("[5000000000, 1]", arrays=true).dtype == i64)
    assert(x.m.shape == (2, 2) and x.mixed[1].shape == (2,) and kind(x.on) == "tuple")
}
