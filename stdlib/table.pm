# Tables: records of columns of one length, as read_csv returns them. A column is an array (its rows are along axis 0), a
# tuple of texts, or a category: the record {codes, names} of integers and of the texts that they stand for. Functions
# that select rows by their values run at the top level and in interpreted functions; grouped columns are arrays.

let _codes_of_texts = _text_codes
let _texts_of_rows = _texts_at
let _rows_of_join = _join_rows
let _places_of_parts = _csv_parts
let _table_of_part = _read_csv_part

fn _is_category(column) = kind(column) == "record"
fn _is_text(column) = kind(column) == "tuple"

## table.count(t): The number of rows, an integer. Columns of different lengths are an error.
fn count(t) {
    if kind(t) != "record" {
        _refuse("a table is a record of columns, got a value of kind {kind(t)}")
    }
    mut found = none
    mut first = ""
    for (name, column) in t {
        let size = if _is_category(column) { len(column.codes) } else { len(column) }
        if found == none {
            found = size
            first = name
        }
        if size != found { _refuse("the column {name} has {size} rows, and {first} has {found}") }
    }
    if found == none { 0 } else { found }
}

fn _column(t, name) {
    if not (name in t) {
        _refuse("the table has no column {name}, only {text.join((n for (n, c) in t), ", ")}")
    }
    t[name]
}
fn _names(by) {
    let names = if kind(by) == "str" { (by,) } else { by }
    if kind(names) != "tuple" or false in (kind(name) == "str" for name in names) {
        _refuse("a column is named by a text, and several by a tuple of texts, got {kind(by)}")
    }
    names
}

## table.types(t): The type of each column, a record: a dtype, "text" or "category". read_csv takes it as `types`.
fn types(t) {
    mut found = {}
    for (name, column) in t {
        found[name] = if _is_category(column) {
            "category"
        } else if _is_text(column) {
            "text"
        } else {
            column.dtype
        }
    }
    found
}

## table.take(t, rows): The rows with these indices, i32[m]. Negative indices count from the end. An index that is out
## of range is an error.
fn take(t, rows) {
    count(t)
    let indices = if kind(rows) == "tuple" and len(rows) == 0 { zeros(0, i32) } else { array(rows) }
    if indices.dtype == bool {
        _refuse("`table.take` takes indices of rows, `table.filter` a mask")
    }
    mut made = {}
    for (name, column) in t { made[name] = _column_at(column, indices) }
    made
}
fn _column_at(column, rows) = if _is_text(column) {
    _texts_of_rows(column, rows)
} else if _is_category(column) {
    {codes: column.codes[rows], names: column.names}
} else {
    column[rows]
}

## table.rows(t): The rows, a tuple of records. An element of a column of texts or of a category is a text.
fn rows(t) {
    mut cells = {}
    for (name, column) in t {
        cells[name] = if kind(column) == "array" { column } else { texts(column) }
    }
    (_row(cells, i) for i in 0..count(t))
}
fn _row(cells, i) {
    mut row = {}
    for (name, cell) in cells { row[name] = cell[i] }
    row
}

## table.of_rows(rows): The table of a tuple of records with the same fields: the inverse of table.rows. A column of
## numbers is an array, one of texts a tuple of texts. Other fields than those of the first record are an error.
fn of_rows(rows) {
    if kind(rows) != "tuple" or len(rows) == 0 {
        _refuse("`table.of_rows` needs at least one record, got {_type(rows)}")
    }
    for row in rows {
        if kind(row) != "record" or text.sort(keys(row)) != text.sort(keys(rows[0])) {
            _refuse("`table.of_rows` needs records with the fields {text.join(keys(rows[0]), ", ")}")
        }
    }
    mut made = {}
    for name in keys(rows[0]) {
        let cells = (row[name] for row in rows)
        for cell in cells {
            if kind(cell) != kind(cells[0]) and (kind(cell) == "str" or kind(cells[0]) == "str") {
                _refuse("`table.of_rows`: the column {name} has texts and other values")
            }
        }
        made[name] = if kind(cells[0]) == "str" { cells } else { array(cells) }
    }
    made
}

## table.head(t, n=5): The first n rows, or all if there are fewer.
fn head(t, n=5) = take(t, arange(minimum(n, count(t))))

## table.filter(t, mask): The rows for which the mask, bool[rows], is true.
fn filter(t, mask) {
    if kind(mask) != "array" and kind(mask) != "tuple" {
        _refuse("the `mask` of `table.filter` has a bool for each row. That of a column of texts is [name == \"x\" for name in t.column], that of a category t.column.codes == code")
    }
    if len(mask) != count(t) {
        _refuse("`table.filter`: the table has {count(t)} rows, the mask {len(mask)}")
    }
    take(t, flatnonzero(mask))
}

## table.drop_missing(t, by=none): The rows without NaN in any column of floats and without an empty text, or without
## these in the columns `by`, a name or a tuple of names. A category without an empty text afterwards has only the names
## of its rows.
fn drop_missing(t, by=none) {
    mut keep = ones(count(t), bool)
    for (name, column) in if by == none { t } else { select(t, by) } {
        if kind(column) == "array" and _is_float(column) {
            keep = keep & ~any(isnan(column), axis=tuple(1..column.ndim))
        } else if kind(column) != "array" {
            keep = keep & (text.indices(texts(column), ("",)) < 0)
        }
    }
    mut made = filter(t, keep)
    for (name, column) in made {
        # No row has the empty name of a category any more.
        if _is_category(column) and
                "" in column.names and
                not any(column.codes == text.index(column.names, "")) {
            made[name] = category(texts(column))
        }
    }
    made
}

## table.select(t, names): The columns with these names, a tuple of texts, in this order.
fn select(t, names) {
    mut made = {}
    for name in _names(names) { made[name] = _column(t, name) }
    made
}

## table.names(t): The names of the columns, a tuple of texts.
fn names(t) = (name for (name, column) in t)

## table.parts(path, rows=100000, ...): A CSV file as parts of `rows` rows, for files larger than memory: a tuple of
## functions without parameters, each of which reads one part and returns its table. The options are those of read_csv.
## The file is read once to find the parts. The types of the first part, or those in `types`, hold for all parts. The
## codes of a category differ between the parts.
fn parts(
    path,
    rows=100000,
    header=true,
    delim=none,
    na=none,
    skip=0,
    comment=none,
    columns=none,
    types=none,
    decimal=".",
) {
    let places =
        _places_of_parts(path, header, delim, na, skip, comment, columns, types, 0, rows, decimal)
    if len(places) == 0 { return () }
    let part = fn(place, types) = _table_of_part(
        path,
        header,
        delim,
        na,
        skip,
        comment,
        columns,
        types,
        0,
        none,
        decimal,
        place,
    )
    let given = if types == none { {} } else { types }
    let types = {.._types(part(places[0], given)), ..given}
    (fn() = part(place, types) for place in places)
}
let _types = types

## table.category(texts): A column of texts as a category: {codes: i32[n], names}, with the names sorted.
fn category(texts) = _codes_of_texts(texts)
## table.texts(column): A category as a tuple of texts. A tuple of texts is itself.
fn texts(column) =
    if _is_category(column) { _texts_of_rows(column.names, column.codes) } else { column }

# Codes 0 .. size - 1 of a column's values, in their order, as {codes: i32[n], size}.
fn _column_codes(column) {
    if _is_text(column) {
        let own = _codes_of_texts(column)
        {codes: own.codes, size: len(own.names)}
    } else if _is_category(column) {
        # names that occur twice, or not in order, have no order of their codes
        let own = _codes_of_texts(column.names)
        {codes: own.codes[column.codes], size: len(own.names)}
    } else {
        if column.ndim != 1 {
            _refuse("a column of {column.ndim} axes has no order: take a vector")
        }
        let own = unique_inverse(column)
        {codes: i32(own.inverse_indices), size: len(own.values)}
    }
}
# Codes of the rows of several columns: equal for equal rows, in the order of the rows.
fn _row_codes(columns) {
    if len(columns) == 0 { _refuse("at least one column is needed") }
    mut all = _column_codes(columns[0]).codes
    for column in columns[1:] {
        let own = _column_codes(column)
        all = i32(unique_inverse(i64(all) * own.size + own.codes).inverse_indices)
    }
    all
}

fn _is_flag(x) = (kind(x) == "number" or kind(x) == "array") and array(x).dtype == bool

## table.sort_by(t, by, descending=false): The rows in the order of the column `by`, or of several columns, a tuple:
## rows that are equal in the first are in the order of the second. The sort is stable; texts have the order of their
## code points, and NaN is last, or first if descending. `descending` is a bool, or a tuple with one for each column.
fn sort_by(t, by, descending=false) {
    count(t)
    let names = _names(by)
    let down = if kind(descending) == "tuple" { descending } else { (descending,) * len(names) }
    if len(down) != len(names) or false in (_is_flag(d) for d in down) {
        _refuse("the `descending` of `table.sort_by` must be a bool, or a tuple of a bool for each of {len(names)} columns")
    }
    let codes = (_column_codes(_column(t, name)).codes for name in names)
    take(
        t,
        argsort(
            _row_codes((
                if reversed { -code } else { code }
                for (code, reversed) in zip(codes, down)
            )),
        ),
    )
}

## table.group_by(t, by): The groups of rows that are equal in the column `by`, or in several columns, a tuple. Returns
## {keys, groups, count}: a table with the values of each group, sorted; the group of each row, i32[rows]; the number
## of groups. segment_sum(x, groups, count) adds up the elements of each group.
fn group_by(t, by) {
    let codes = _row_codes((_column(t, name) for name in _names(by)))
    let found = unique_all(codes)
    {keys: take(select(t, by), found.indices), groups: codes, count: len(found.values)}
}

## table.aggregate(t, by, columns, skip_missing=false): One row for each group of group_by(t, by): its keys, and a
## column for each field of the record `columns`, whose value is a pair of a column's name and "sum", "mean", "median",
## "min", "max", "std", "first" or "count": table.aggregate(t, "city", {rain: ("rain", "sum"), days: ("day", "count")}).
## "std" divides by the number of rows, and the sum of integers is i64 or u64. NaN makes the result of its group NaN.
## With `skip_missing` the NaN of a column of floats f[rows] are left out, also by "count". Without any other value in a
## group its sum is 0, its count 0, and the rest NaN.
fn aggregate(t, by, columns, skip_missing=false) {
    let grouped = group_by(t, by)
    mut made = grouped.keys
    for (name, pair) in columns {
        if name in made { _refuse("`table.aggregate`: {name} is a column of the keys") }
        if kind(pair) != "tuple" or len(pair) != 2 {
            _refuse("`table.aggregate`: {name} needs a pair of a column and a function: (\"rain\", \"sum\")")
        }
        mut (column, groups) = (_column(t, pair[0]), grouped.groups)
        if skip_missing and _is_float_vector(column) {
            let present = flatnonzero(~isnan(column))
            (column, groups) = (column[present], groups[present])
        }
        made[name] = _reduced(column, groups, grouped.count, pair[1], pair[0])
    }
    made
}
fn _is_float_vector(column) = kind(column) == "array" and column.ndim == 1 and _is_float(column)
fn _reduced(column, groups, size, how, name) {
    let counts = segment_sum(ones(len(groups), i32), groups, size)
    if how == "count" { return counts }
    if how == "first" {
        if len(groups) == 0 { return _or_missing(zeros(size, dtype=column.dtype), counts) }
        let at = minimum(segment_min(arange(len(groups)), groups, size), len(groups) - 1)
        return _or_missing(_column_at(column, at), counts)
    }
    if kind(column) != "array" {
        _refuse("`table.aggregate`: {name} is text, which has \"first\" and \"count\" only")
    }
    let divisor = counts.reshape((size,) + (1,) * (column.ndim - 1))
    let totals = fn(x) = segment_sum(x, groups, size)
    if how == "sum" {
        totals(if isdtype(column.dtype, ("bool", "signed integer")) {
            i64(column)
        } else {
            column.astype(sum(zeros(1, column.dtype)).dtype)
        })
    } else if how == "mean" {
        totals(_averaged(column)) / divisor
    } else if how == "median" {
        _medians(_averaged(column), groups, counts)
    } else if how == "min" {
        _or_missing(segment_min(column, groups, size), counts)
    } else if how == "max" {
        _or_missing(segment_max(column, groups, size), counts)
    } else if how == "std" {
        let numbers = _averaged(column)
        sqrt(totals((numbers - (totals(numbers) / divisor)[groups]) ** 2) / divisor)
    } else {
        _refuse("`table.aggregate` knows sum, mean, median, min, max, std, first and count, got {how}")
    }
}
## The column with NaN for the groups without a value.
fn _or_missing(column, counts) =
    if _is_float_vector(column) { where(counts > 0, column, nan) } else { column }
## The median of each group: the mean of the middle two of its sorted values, NaN for a group with NaN or without
## values.
fn _medians(x, groups, counts) {
    if x.ndim != 1 { _refuse("`table.aggregate`: a median needs a column f[rows], got {_type(x)}") }
    if len(x) == 0 { return full(len(counts), nan, dtype=x.dtype) }
    let sorted = x[lexsort((x, groups))]
    let ends = cumsum(counts)
    let at = fn(i) = sorted[clip(ends - counts + i, 0, len(x) - 1)]
    let middle = (at((counts - 1) // 2) + at(counts // 2)) / 2
    where((counts > 0) & ~isnan(at(counts - 1)), middle, nan)
}
# The column in the dtype of its mean, in f32 at least.
fn _averaged(column) {
    let dtype = mean(zeros(1, column.dtype)).dtype
    column.astype(if dtype == f16 or dtype == bf16 { f32 } else { dtype })
}

## table.value_counts(t, by): The table of the different values of the column `by`, or of several, with their number in
## the column `count`, the most frequent first.
fn value_counts(t, by) =
    sort_by(aggregate(t, by, {count: (_names(by)[0], "count")}), "count", descending=true)

## table.unique(t, by): The first row of each group of rows that are equal in the column `by`, or in several columns, in
## the order of the table.
fn unique(t, by) {
    let codes = _row_codes((_column(t, name) for name in _names(by)))
    take(t, sort(unique_all(codes).indices))
}

## table.concat(tables): The rows of several tables with the same columns, one table after the other.
fn concat(tables) {
    if len(tables) == 0 { _refuse("`table.concat` needs at least one table") }
    mut made = tables[0]
    for t in tables[1:] {
        if tuple(_sorted_names(t)) != tuple(_sorted_names(made)) {
            _refuse("`table.concat`: one table has {text.join(names(made), ", ")}, another {text.join(names(t), ", ")}")
        }
        mut longer = {}
        for (name, column) in made { longer[name] = _joined(column, t[name]) }
        made = longer
    }
    made
}
fn _sorted_names(t) = text.sort(names(t))
fn _joined(a, b) = if _is_text(a) and _is_text(b) {
    a + b
} else if _is_text(a) or _is_category(a) {
    _codes_of_texts(texts(a) + texts(b))
} else if a.dtype == b.dtype {
    concatenate((a, b))
} else {
    let dtype = _exact_dtype(a.dtype, b.dtype)
    concatenate((a.astype(dtype), b.astype(dtype)))
}
# A dtype that has all numbers of both.
fn _exact_dtype(a, b) {
    let is_wide = fn(d) = d == i64 or d == u64
    if not (is_wide(a) or is_wide(b)) { return f64 }
    if isdtype(a, "integral") and isdtype(b, "integral") and a != u64 and b != u64 { return i64 }
    _refuse("no dtype has all numbers of {a} and {b}: convert one of the columns")
}

## table.join(left, right, by, how="inner"): The pairs of rows of both tables that are equal in the column `by`, or in
## several, in the order of the left rows. The columns of `right` follow those of `left`; a name that both have gets
## "_right". how="left" keeps left rows without a partner: numbers of `right` are then floats, with NaN in these rows,
## and texts are empty.
fn join(left, right, by, how="inner") {
    if how != "inner" and how != "left" {
        _refuse("`table.join` has how=\"inner\" and how=\"left\", got {how}")
    }
    let size = count(left)
    count(right)
    let both = (_joined(_column(left, name), _column(right, name)) for name in _names(by))
    let codes = _row_codes(both)
    let (of_left, of_right) = _rows_of_join(codes[:size], codes[size:], how == "left")
    mut made = take(left, of_left)
    for (name, column) in right {
        if not (name in _names(by)) {
            let free = if name in made { name + "_right" } else { name }
            if free in made { _refuse("`table.join`: both tables have {name} and {free}") }
            made[free] = if how == "inner" {
                _column_at(column, of_right)
            } else {
                _column_or_missing(column, of_right)
            }
        }
    }
    made
}
# A column at rows, of which -1 stands for a missing row: the column gets one more row.
fn _column_or_missing(column, rows) {
    if _is_text(column) { return _texts_of_rows(column + ("",), rows) }
    if _is_category(column) { return _codes_of_texts(_texts_of_rows(texts(column) + ("",), rows)) }
    let floats = if _is_float(column) { column } else { f64(column) }
    concatenate((floats, full((1,) + floats.shape[1:], nan, floats.dtype)))[rows]
}

## table.format(t, rows=10, digits=none): The table as a text for print: a line of names, a line of types, and the rows.
## Of more than `rows` rows the first and the last are shown. Floats have at most `digits` significant digits, but below
## 1e15 all digits before the point. If digits is none they print as by print.
fn format(t, rows=10, digits=none) {
    let digits = if digits == none {
        none
    } else {
        int(_count(digits, "the `digits` of `table.format`", least=1))
    }
    let size = count(t)
    let most = if rows < 2 { 2 } else { rows }
    let first = if size <= most { size } else { (most + 1) // 2 }
    let last = if size <= most { size } else { size - most // 2 }
    let kinds = types(t)
    mut lines = ("",) * (2 + first + (if last > first { 1 } else { 0 }) + size - last)
    for (name, column) in t {
        let gap = if last > first { ("...",) } else { () }
        let cells =
            (name, "{kinds[name]}") + (_cell(column, i, digits) for i in 0..first) + gap + (
                _cell(column, i, digits)
                for i in last..size
            )
        let width = max(array((len(cell) for cell in cells)))
        let left = kind(column) != "array"
        lines = (_beside(lines[i], cells[i], int(width), left) for i in 0..len(cells))
    }
    text.join((_without_end_blanks(line) for line in lines), "\n") +
        "\n{size} {if size == 1 { "row" } else { "rows" }}"
}
fn _without_end_blanks(line) = text.strip("." + line)[1:]
fn _cell(column, i, digits) = if _is_text(column) {
    _in_one_line(column[i])
} else if _is_category(column) {
    _in_one_line(_texts_of_rows(column.names, column.codes[i:i + 1])[0])
} else if digits != none and _is_float(column) and column.ndim == 1 {
    _with_digits(column[i], digits)
} else {
    "{column[i]}"
}
## A number with this many significant digits, but with all its digits before the point.
fn _with_digits(x, digits) {
    let short = "{x:.{digits}g}"
    if "e+" in short and abs(x) < 1e15 { "{x:.0f}" } else { short }
}
fn _in_one_line(cell) = if "\n" in cell { text.replace(cell, "\n", "\\n") } else { cell }
fn _beside(line, cell, width, left) {
    let blanks = " " * (width - len(cell))
    let padded = if left { cell + blanks } else { blanks + cell }
    if line == "" { padded } else { line + "  " + padded }
}

let _weather = {
    city: ("Bern", "Basel", "Bern", "Chur", "Basel", "Bern"),
    day: [3, 1, 1, 2, 2, 2],
    rain: [1.5, 0.0, 2.5, nan, 4.0, 0.5],
}

test "rows of tables" {
    assert(count(_weather) == 6)
    assert(take(_weather, [5, -6]).city == ("Bern", "Bern"))
    assert(array_equal(take(_weather, [5, -6]).day, [2, 3]))
    assert(count(head(_weather)) == 5)
    assert(count(head(_weather, 99)) == 6)
    assert(filter(_weather, _weather.day == 2).city == ("Chur", "Basel", "Bern"))
    assert(drop_missing(_weather).city == ("Bern", "Basel", "Bern", "Basel", "Bern"))
    assert(
        count(drop_missing(_weather, "rain")) == 5 and
        count(drop_missing(_weather, ("city", "day"))) == 6,
    )
    let some = {a: ("x", "", "y"), b: category(("", "u", "v"))}
    assert(drop_missing(some).a == ("y",) and drop_missing(some, "a").a == ("x", "y"))
    assert(drop_missing(some).b.names == ("v",) and array_equal(drop_missing(some).b.codes, [0]))
    assert(drop_missing(some, "a").b.names == ("", "u", "v"))
    assert(names(select(_weather, ("rain", "city"))) == ("rain", "city"))
    assert(types(_weather) == {city: "text", day: i32, rain: f32})
    assert(
        rows(_weather)[1] == {city: _weather.city[1], day: _weather.day[1], rain: _weather.rain[1]},
    )
    assert(of_rows(rows(_weather)).city == _weather.city and of_rows(({a: 1.5}, {a: 2})).a[1] == 2)
    assert(not attempt(of_rows, ({a: 1}, {b: 2})).ok and not attempt(of_rows, ()).ok)
    assert(of_rows(({a: 1, b: "x"}, {b: "y", a: 2})).b == ("x", "y"))
    assert(not attempt(of_rows, ({a: "x"}, {a: 1})).ok)
    assert((row.place for row in rows({place: category(("b", "a", "b"))})) == ("b", "a", "b"))
}

test "sorted tables" {
    assert(array_equal(sort_by(_weather, ("city", "day")).rain[:5], [0.0, 4.0, 2.5, 0.5, 1.5]))
    assert(array_equal(sort_by(_weather, "day", descending=true).day, [3, 2, 2, 2, 1, 1]))
    assert(sort_by(_weather, "day").city == ("Basel", "Bern", "Chur", "Basel", "Bern", "Bern"))
    let as_category = {city: category(_weather.city), rain: _weather.rain}
    assert(array_equal(sort_by(as_category, "city").city.codes, [0, 0, 1, 1, 1, 2]))
    assert(array_equal(sort_by(_weather, "rain").rain[:5], [0.0, 0.5, 1.5, 2.5, 4.0]))
}

test "groups" {
    let sums = aggregate(_weather, "city", {
        rain: ("rain", "sum"),
        mean: ("day", "mean"),
        first: ("day", "first"),
        most: ("day", "max"),
        days: ("day", "count"),
        spread: ("day", "std"),
    })
    assert(sums.city == ("Basel", "Bern", "Chur"))
    assert(array_equal(sums.rain[:2], [4.0, 4.5]) and isnan(sums.rain[2]))
    assert(array_equal(sums.mean, [1.5, 2.0, 2.0]))
    assert(array_equal(sums.first, [1, 3, 2]))
    assert(array_equal(sums.most, [2, 3, 2]))
    assert(array_equal(sums.days, [2, 3, 1]))
    assert(allclose(sums.spread, [0.5, sqrt(2.0 / 3), 0.0]))
    assert(value_counts(_weather, "city").city == ("Bern", "Basel", "Chur"))
    assert(count(group_by(_weather, ("city", "day")).keys) == 6)
    assert(array_equal(unique(_weather, "city").day, [3, 1, 2]))
}

test "medians, and missing numbers left out" {
    let t = {
        k: ("a", "b", "a", "c", "a"),
        x: [1.0, nan, 4.0, nan, 2.0],
        n: [3, 1, 5, 2, 4],
        none_at_all: full(5, nan),
    }
    let columns = fn(name) = {
        sum: (name, "sum"),
        mean: (name, "mean"),
        median: (name, "median"),
        min: (name, "min"),
        max: (name, "max"),
        std: (name, "std"),
        first: (name, "first"),
        count: (name, "count"),
    }
    let found = aggregate(t, "k", columns("x"), skip_missing=true)
    assert(array_equal(found.sum, [7, 0, 0]) and array_equal(found.count, [3, 0, 0]))
    assert(allclose(found.mean[0], 7 / 3) and found.median[0] == 2 and found.first[0] == 1)
    assert(found.min[0] == 1 and found.max[0] == 4 and allclose(found.std[0], 1.2472191))
    for name in ("mean", "median", "min", "max", "std", "first") {
        assert(all(isnan(found[name][1:])), name)
        let nothing = aggregate(t, "k", columns("none_at_all"), skip_missing=true)
        assert(all(isnan(nothing[name])), name)
    }
    let whole = aggregate(t, "k", {n: ("n", "median"), x: ("x", "median"), count: ("x", "count")})
    assert(array_equal(whole.n, [4, 1, 2]) and array_equal(whole.count, [3, 1, 1]))
    assert(array_equal(whole.x, [2, nan, nan], equal_nan=true))
}

test "joined tables" {
    let heights =
        {city: ("Chur", "Bern", "Bern", "Sion"), height: [593, 540, 541, 500], day: [0, 0, 0, 0]}
    let inner = join(_weather, heights, "city")
    assert(inner.city == ("Bern", "Bern", "Bern", "Bern", "Chur", "Bern", "Bern"))
    assert(array_equal(inner.height, [540, 541, 540, 541, 593, 540, 541]))
    assert(names(inner) == ("city", "day", "rain", "height", "day_right"))
    let outer = join(_weather, select(heights, ("city", "height")), "city", how="left")
    assert(count(outer) == 9)
    assert(outer.height.dtype == f64 and isnan(outer.height[2]) and outer.height[0] == 540)
    assert(count(join(_weather, filter(heights, heights.height > 1000), "city")) == 0)
    assert(
        isnan(
            join(_weather, filter(heights, heights.height > 1000), "city", how="left").height,
        ).all(),
    )
    let twice = concat((_weather, _weather))
    assert(count(twice) == 12 and twice.city[6] == "Bern")
    assert(texts(concat(({c: category(("b", "a"))}, {c: category(("c",))})).c) == ("b", "a", "c"))
}

test "a table as text" {
    let lines = text.split(format(_weather, rows=4), "\n")
    assert(lines[0] == "city   day  rain")
    assert(lines[1] == "text   i32   f32")
    assert(lines[2] == "Bern     3   1.5")
    assert(lines[4] == "...    ...   ...")
    assert(lines[7] == "6 rows")
    assert(text.split(format(head(_weather, 1)), "\n")[3] == "1 row")
    assert(
        text.split(format({x: [2 / 3, 999.6], n: [7, 1234]}, digits=3), "\n")[2:4] == (
            "0.667     7",
            " 1000  1234",
        ),
    )
    assert(text.split(format({a: ("b\nc",)}), "\n")[2] == r"b\nc")
}

test "columns of other dtypes" {
    let t = {
        by: ("a", "a", "a"),
        small: u8([200, 200, 200]),
        large: [2000000000, 2000000000, 1],
        on: [true, true, false],
    }
    let made = aggregate(
        t,
        "by",
        {
            a: ("small", "mean"),
            b: ("large", "mean"),
            c: ("on", "sum"),
            d: ("small", "sum"),
            e: ("on", "std"),
        },
    )
    assert(made.a[0] == 200 and made.b[0] == mean(t.large) and made.c[0] == 2 and made.d[0] == 600)
    assert(
        made.a.dtype == f32 and
        made.d.dtype == sum(t.small).dtype and
        abs(made.e[0] - 0.4714045) < 1e-6,
    )
    assert(count(join({k: [16777217]}, {k: f32([16777216])}, "k")) == 0)
    assert(count(join({k: [3, 16777216]}, {k: f32([16777216])}, "k")) == 1)
    assert(count(join({k: u8([3])}, {k: i64([3])}, "k")) == 1)
}

test "columns in other orders" {
    let t = {a: ("x", "y", "x", "y"), b: [1, 2, 3, 4]}
    assert(array_equal(sort_by(t, ("a", "b"), descending=(false, true)).b, [3, 1, 4, 2]))
    assert(array_equal(sort_by(t, ("a", "b"), descending=true).b, [4, 2, 3, 1]))
    assert(
        aggregate({k: (1, 1), v: [1, 1]} with .k = [0, 0], "k", {s: ("v", "sum")}).s.dtype == i64,
    )
}

test "rows in compiled code" {
    let x = [1.0, 2.0, 3.0]
    assert(array_equal(grad(fn(x) = sum(take({x}, u8([0, 2])).x))(x), [1, 0, 1]))
    assert(array_equal(vmap(fn(x) = head({x}, 2).x)(ones((4, 3))), ones((4, 2))))
    assert(count(take(_weather, ())) == 0)
}
