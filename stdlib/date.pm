# Dates of the Gregorian calendar as numbers of days since 1 January 1970, negative before. Years are astronomical:
# the year 0 is before the year 1. All functions of numbers work on arrays, element by element.

## date.days(year, month, day): The number of days of a date, i32 or the integers' dtype. A month from 1 to 12 and a day
## from 1 are not checked: day 0 is the last day of the month before. A year has 146097 / 400 days.
## Source: the algorithm days_from_civil of H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2014.
fn days(year, month, day) {
    let late = where(month <= 2, 1, 0)
    let y = year - late
    let era = y // 400
    let of_year = (153 * (month - 3 + 12 * late) + 2) // 5 + day - 1
    let year_of_era = y - 400 * era
    146097 * era + 365 * year_of_era + year_of_era // 4 - year_of_era // 100 + of_year - 719468
}

## date.civil(days): The tuple (year, month, day) of integers. The inverse of date.days.
## Source: civil_from_days, as above.
fn civil(days) {
    let z = days + 719468
    let era = z // 146097
    let of_era = z - 146097 * era
    let year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    let of_year = of_era - (365 * year + year // 4 - year // 100)
    let month = (5 * of_year + 2) // 153
    let day = of_year - (153 * month + 2) // 5 + 1
    let late = where(month < 10, 0, 1)
    (year + 400 * era + late, month + 3 - 12 * late, day)
}

## date.weekday(days): 0 for Monday to 6 for Sunday.
fn weekday(days) = (days + 3) % 7

## date.is_leap(year): Whether the year has 366 days.
fn is_leap(year) = ((year % 4 == 0) & (year % 100 != 0)) | (year % 400 == 0)

## date.parse(s): The number of days of a text "2024-02-29". Other texts, and dates that do not exist, are errors.
fn parse(s) {
    let parts = text.split(s, "-")
    if not (len(parts) == 3 and len(parts[0]) == 4 and len(parts[1]) == 2 and len(parts[2]) == 2) or
            not _are_digits(parts) {
        _refuse("`date.parse` needs a date as \"2024-02-29\", got \"{s}\"")
    }
    let numbers = (int(p) for p in parts)
    let found = days(*numbers)
    if civil(found) != numbers { _refuse("`date.parse`: there is no {s}") }
    found
}
fn _are_digits(parts) {
    mut digits = true
    for p in parts { for c in p { digits = digits and c in "0123456789" } }
    digits
}

## date.format(days): The text "2024-02-29" of a number of days. Those of an array i32[n] are a tuple of texts.
fn format(days) {
    let (years, months, days) = civil(days)
    if array(years).ndim == 0 { return _text(years, months, days) }
    let (years, months, days) = (tuple(years), tuple(months), tuple(days))
    (_text(years[i], months[i], days[i]) for i in 0..len(years))
}
fn _text(year, month, day) = "{int(year):04d}-{int(month):02d}-{int(day):02d}"

test "days and dates" {
    assert(days(1970, 1, 1) == 0 and days(2000, 2, 29) == 11016 and days(1969, 12, 31) == -1)
    assert(
        parse("2024-02-29") == 19782 and
        format(19782) == "2024-02-29" and
        format(-719468) == "0000-03-01",
    )
    let many = arange(-800000, 800000, 37)
    let (y, m, d) = civil(many)
    assert(array_equal(days(y, m, d), many) and all((1 <= m) & (m <= 12) & (1 <= d) & (d <= 31)))
    assert(weekday(parse("2026-11-28")) == 5 and is_leap(2000) and not is_leap(1900))
    assert(array_equal(weekday(many), (many + 3) % 7))
}
