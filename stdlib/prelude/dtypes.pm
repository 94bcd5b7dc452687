# Global functions: questions about dtypes.

## isrealobj(x): whether a dtype or an array's dtype is not complex.
fn isrealobj(x) = not iscomplexobj(x)
## isscalar(x): true for numbers, arrays without axes, and text.
fn isscalar(x) = kind(x) == "str" or (_is_numeric(x) and array(x).ndim == 0)

## The dtype of a dtype or an array.
fn _dtype_of(x, what) {
    if kind(x) == "dtype" { return x }
    if not _is_numeric(x) { _refuse("`{what}` needs a dtype or an array, got {_type(x)}") }
    array(x).dtype
}
## promote_types(a, b): the dtype to which two dtypes promote. It is result_type for two dtypes.
fn promote_types(a, b) = result_type(_dtype_of(a, "promote_types"), _dtype_of(b, "promote_types"))

## The kind of a dtype: "bool", "unsigned", "signed", "float", "complex" or "key".
fn _dtype_kind(dtype) {
    if dtype == bool { return "bool" }
    if iscomplexobj(dtype) { return "complex" }
    for d in (f16, bf16, f32, f64) { if dtype == d { return "float" } }
    for d in (u8, u16, u32, u64) { if dtype == d { return "unsigned" } }
    for d in (i8, i16, i32, i64) { if dtype == d { return "signed" } }
    "key"
}

## can_cast(from, to, casting="safe"): whether a dtype, or the dtype of an array, may be cast to the dtype `to`.
## "safe": every value is kept, where 64-bit integers count as values of f64, as in NumPy. "same_kind": also casts within
## a kind, such as f64 to f32, and to a later kind in the order bool, unsigned and signed integers, floats, complex.
## "no" and "equiv": only the same dtype. "unsafe": any dtype.
fn can_cast(from, to, casting="safe") {
    let casting = _option(casting, "`casting`", ("safe", "same_kind", "no", "equiv", "unsafe"))
    let (a, b) = (_dtype_of(from, "can_cast"), _dtype_of(to, "can_cast"))
    if a == b or casting == "unsafe" { return true }
    if casting == "no" or casting == "equiv" { return false }
    let order = ("bool", "unsigned", "signed", "float", "complex")
    let rank = fn(d) = _first_place(_dtype_kind(d), order)
    if rank(a) == 5 or rank(b) == 5 { return false }
    if casting == "same_kind" { return rank(a) <= rank(b) }
    if a == bool { return true }
    if rank(a) > rank(b) { return false }
    if rank(a) <= 2 and rank(b) <= 2 {
        let (from, to) = (iinfo(a), iinfo(b))
        return from.min >= to.min and from.max <= to.max
    }
    let to = finfo(b)
    if to.bits == 64 { return true }
    if rank(a) <= 2 {
        let info = iinfo(a)
        return info.bits - (if info.min < 0 { 1 } else { 0 }) <= to.nmant + 1
    }
    finfo(a).nmant <= to.nmant and finfo(a).max <= to.max
}
## The index of `x` in a tuple, its length if it is not there.
fn _first_place(x, list) {
    mut found = len(list)
    for (i, y) in tuple(enumerate(list)) { if found == len(list) and y == x { found = i } }
    found
}

## isdtype(dtype, kind): whether a dtype is of a kind, as in the array API standard.
## `kind` is a dtype, "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating" or
## "numeric", or a tuple of these, of which one must hold.
fn isdtype(dtype, kind) = _is_of_kinds(_dtype_of(dtype, "isdtype"), kind)
fn _is_of_kinds(dtype, wanted) {
    if kind(wanted) == "dtype" { return dtype == wanted }
    if kind(wanted) == "tuple" {
        mut found = false
        for w in wanted { found = found or _is_of_kinds(dtype, w) }
        return found
    }
    let wanted = _option(
        wanted,
        "the `kind` of `isdtype`",
        (
            "bool",
            "signed integer",
            "unsigned integer",
            "integral",
            "real floating",
            "complex floating",
            "numeric",
        ),
    )
    let own = _dtype_kind(dtype)
    if wanted == "bool" { return own == "bool" }
    if wanted == "signed integer" { return own == "signed" }
    if wanted == "unsigned integer" { return own == "unsigned" }
    if wanted == "integral" { return own == "signed" or own == "unsigned" }
    if wanted == "real floating" { return own == "float" }
    if wanted == "complex floating" { return own == "complex" }
    own != "bool" and own != "key"
}
## issubdtype(dtype, kind): whether a dtype, or the dtype of an array, is of an abstract type of NumPy.
## `kind` is a dtype or the name of an abstract type: "generic", "number", "integer", "signedinteger",
## "unsignedinteger", "inexact", "floating", "complexfloating" or "bool_".
fn issubdtype(dtype, kind) {
    let own = _dtype_of(dtype, "issubdtype")
    let names = (
        "generic",
        "number",
        "integer",
        "signedinteger",
        "unsignedinteger",
        "inexact",
        "floating",
        "complexfloating",
        "bool_",
    )
    if not _is_text(kind) { return own == _dtype_of(kind, "issubdtype") }
    let kind = _option(kind, "the `kind` of `issubdtype`", names)
    if kind == "generic" { return true }
    if kind == "inexact" { return _is_of_kinds(own, ("real floating", "complex floating")) }
    let of_array_api = (
        "numeric",
        "integral",
        "signed integer",
        "unsigned integer",
        "",
        "real floating",
        "complex floating",
        "bool",
    )
    _is_of_kinds(own, of_array_api[_first_place(kind, names) - 1])
}
fn _is_text(x) = kind(x) == "str"
