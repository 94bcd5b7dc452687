#include "compiler/syntax/repairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pm::syntax {
namespace {

using Kind = TokenKind;

struct Repair {
    std::string_view text;
    std::string_view repair;
};

constexpr std::array foreign_symbols = {
    Repair{"&&", "write `and`"},
    Repair{"||", "write `or`"},
    Repair{"!", "write `not`"},
    Repair{":=", "`let x = ...` makes a name, `x = ...` gives a `mut` name a new value"},
    Repair{"=>", "a function is `fn(x) = ...`; the comparison is `>=`"},
    Repair{"++", "write `x += 1`, or `+` once"},
    Repair{"===", "write `==`"},
    Repair{"!==", "write `!=`"},
    Repair{"?", "a choice is `if c { a } else { b }`"},
    Repair{"`", "write a text in double quotes: \"...\""},
    Repair{"\\", "a function is `fn(x) = ...`; in parentheses a statement goes on over several lines"},
};

/// Words with which statements of other languages begin, and repairs.
constexpr std::array foreign_words = {
    Repair{"elif", "write `else if`"},
    Repair{"elseif", "write `else if`"},
    Repair{"elsif", "write `else if`"},
    Repair{"def", "functions are declared with `fn`: fn f(x) = x + 1"},
    Repair{"func", "functions are declared with `fn`: fn f(x) = x + 1"},
    Repair{"fun", "functions are declared with `fn`: fn f(x) = x + 1"},
    Repair{"function", "functions are declared with `fn`: fn f(x) = x + 1"},
    Repair{"var", "names are made with `let x = ...`, or `mut x = ...` for one that changes"},
    Repair{"const", "names are made with `let x = ...`"},
    Repair{"val", "names are made with `let x = ...`"},
    Repair{"auto", "names are made with `let x = ...`"},
    Repair{"from",
           "the library needs no import: nn.relu(x); a file is imported whole: import \"model.pm\", then model.name"},
    Repair{"loop", "write `while true { ... }`"},
    Repair{"del", "names end with their block; nothing needs to be deleted"},
    Repair{"pass", "an empty block is `{ }`"},
    Repair{"class",
           "there are no classes: a record holds values, {w: x, b: y}, and functions take it: fn f(p, x) = x @ p.w"},
    Repair{"struct", "there are no declared types: a record holds values, {w: x, b: y}"},
    Repair{"try", "write `let r = attempt(f, x)`: r.ok tells whether f(x) worked, r.value and r.error what came of it"},
    Repair{"except", "write `let r = attempt(f, x)`: if r.ok is false, r.error is the error"},
    Repair{"catch", "write `let r = attempt(f, x)`: if r.ok is false, r.error is the error"},
    Repair{"finally", "write `let r = attempt(f, x)`, and the work that always follows after it"},
    Repair{"raise", "an error that ends the program is fail(\"why\")"},
    Repair{"throw", "an error that ends the program is fail(\"why\")"},
    Repair{"assert", "write arguments in parentheses: assert(x > 0, \"why\")"},
    Repair{"global", "a function reads outer names directly, and returns its results"},
    Repair{"nonlocal", "a function reads outer names directly, and returns its results"},
    Repair{"yield", "a function gives one value back; [f(x) for x in xs] and scan(f, start, xs) make several"},
    Repair{"async", "calls run one after another; pmap(f) runs on several devices at once"},
    Repair{"await", "calls run one after another; pmap(f) runs on several devices at once"},
    Repair{"switch", "write `if ... { } else if ... { }`, or `switch(index, branches, x)`"},
    Repair{"do", "write `while true { ... }`"},
    Repair{"match", "write `if ... { } else if ... { }`, or `switch(index, branches, x)`"},
};

template <std::size_t count>
std::string_view repair_of(const std::array<Repair, count>& repairs, std::string_view text) {
    for (const Repair& r : repairs)
        if (r.text == text) return r.repair;
    return {};
}

/// Whether a token could begin an operand.
bool begins_operand(Kind k) {
    return is_name(k) || is_transform(k) || k == Kind::integer || k == Kind::real || k == Kind::imaginary ||
           k == Kind::text_begin || k == Kind::kw_true || k == Kind::kw_false || k == Kind::kw_none;
}

bool begins_statement(Kind k) {
    return k == Kind::kw_let || k == Kind::kw_mut || k == Kind::kw_while || k == Kind::kw_return || k == Kind::kw_for ||
           k == Kind::kw_break || k == Kind::kw_continue || k == Kind::kw_fn || k == Kind::kw_import;
}

/// The point of the text where the grammar did not find the expected token.
struct Place {
    const Tokens& tokens;
    const Token* first;
    const Token* where;
    std::string_view expected;

    Kind found() const { return where->kind; }
    Kind before() const { return where == tokens.list.data() ? Kind::newline : where[-1].kind; }
    std::string_view word(const Token* token) const { return tokens.text_of(*token); }
    bool expects(std::string_view what) const { return expected == what; }
};

/// Whether a word of another language continues the statement before it, such as `elif`.
bool goes_on(std::string_view word) {
    return word == "elif" || word == "elseif" || word == "elsif" || word == "except" || word == "catch" ||
           word == "finally";
}

std::string repair_of_word(const Place& at) {
    if (is_name(at.found()) && at.before() == Kind::block_close && goes_on(at.word(at.where)))
        return std::string(repair_of(foreign_words, at.word(at.where)));
    if (is_name(at.first->kind) && at.where == at.first + 1) {
        const std::string_view fix = repair_of(foreign_words, at.word(at.first));
        if (!fix.empty()) return std::string(fix);
    }
    if (at.before() == Kind::word && at.word(at.where - 1) == "lambda") return "an anonymous function is fn(x) = x + 1";
    return {};
}

/// A repair of a Python construct in an expression, for which this language has a different syntax.
std::string repair_of_habit(const Place& at) {
    if (is_name(at.found()) && at.word(at.where) == "is") return "write `x == none`, and `x != none` for `is not`";
    const bool prefix = at.found() == Kind::text_begin && is_name(at.before()) && at.where[-1].end == at.where->begin;
    if (prefix && at.word(at.where - 1) == "f")
        return "every text takes values in braces, without an `f` in front: \"x = {x}\"";
    return {};
}

/// A repair of a statement or operand that begins as in Python or C.
std::string repair_of_beginning(const Place& at) {
    const Kind found = at.found();
    const bool statement = at.expects("a statement");
    if (statement && found == Kind::at)
        return "there are no decorators: apply it to the function, as `let g = jit(f)`; calls at the top level are "
               "compiled as they are";
    if (statement && found == Kind::kw_with)
        return "`with` changes a copy, as `x with [i] = v`; read_text(path) reads a whole file, which needs no closing";
    if (statement && (found == Kind::slash_slash || found == Kind::slash)) return "a comment begins with `#`";
    if (found == Kind::greater && at.before() == Kind::less) return "write `!=`";
    if (found == Kind::star_star && (at.expects("`)`") || at.expects("an expression")))
        return "names are not spread: take options as a record, fn f(x, options), and its fields, options.rate";
    if (at.expects("a name or a pattern") && found == Kind::square_open)
        return "write several names in parentheses: let (a, b) = ...";
    if (at.first->kind == Kind::kw_import && found == Kind::dot)
        return "the library needs no import, and its functions no other name in front than its modules': zeros(3), "
               "grad(f), random.key(0), linalg.inv(a)";
    // The lexer reads """text""" as three string literals.
    const bool joined =
        found == Kind::text_begin && at.before() == Kind::text_end && at.where[-1].end == at.where->begin;
    if (joined)
        return "a text is written on one line; a comment begins with `#`, the documentation above a function with `##`";
    if (found == Kind::text_begin && at.before() == Kind::text_end) return "texts are joined with `+`";
    return {};
}

/// A repair of a declaration, a function or a counting loop that has the syntax of another language.
std::string repair_of_naming(const Place& at) {
    const Kind found = at.found();
    const bool ends = at.expects("the end of the statement");
    if ((found == Kind::bar && at.expects("an expression")) || (found == Kind::arrow && ends))
        return "a function is `fn(x) = ...`";
    if (at.first->kind == Kind::kw_for) {
        const bool range = found == Kind::colon && at.before() == Kind::integer && begins_operand(at.where[1].kind);
        if (found == Kind::assign || (range && at.expects("`{`")))
            return "a loop counts over a range: for i in 0..n { ... }";
    }
    const bool two_names = is_name(found) && is_name(at.before());
    if (two_names && ((ends && at.where[1].kind == Kind::assign) || at.expects("`=`")))
        return "names are made with `let x = ...`, or `mut x = ...` for one that changes";
    if (!ends) return {};
    if (found == Kind::colon && at.where == at.first + 1 && at.where[1].kind != Kind::newline &&
        is_name(at.first->kind))
        return "a name with a type is made by `let x: i32 = ...`";
    if (found == Kind::assign) return "each name is given its value by a statement of its own";
    return {};
}

std::string repair_of_body(const Place& at) {
    const Kind found = at.found();
    if (at.expects("a body") && found == Kind::colon) return "a body is `= expression` or `{ ... }`";
    if (at.expects("a body") && found == Kind::newline) return "a body begins on the same line, with `=` or `{`";
    if (!at.expects("`{`")) return {};
    if (found == Kind::assign) return "`==` compares, `=` gives a name a value";
    if (found == Kind::newline) return "a body begins on the same line: put `{` at its end";
    if (found == Kind::colon || begins_operand(found) || begins_statement(found))
        return "write a body in braces: { ... }";
    return {};
}

/// Whether the innermost brackets around the place contain a `for` before the place.
bool in_comprehension(const Place& at) {
    const Token* open = enclosing_bracket(at.first, at.where);
    if (open == nullptr) return false;
    return std::any_of(open + 1, at.where,
                       [&](const Token& t) { return t.kind == Kind::kw_for && t.depth == at.where->depth; });
}

/// Whether the place is in the parentheses of `tuple(...)` or `list(...)`. A comprehension in such parentheses is
/// written without the name in this language.
bool makes_tuple(const Place& at) {
    const Token* open = enclosing_bracket(at.first, at.where);
    if (open == nullptr || open == at.first || !is_name(open[-1].kind)) return false;
    return at.word(open - 1) == "tuple" || at.word(open - 1) == "list";
}

std::string repair_of_expression(const Place& at) {
    const Kind found = at.found();
    const bool operand_due = at.expects("an expression") || at.expects("a statement");
    if (found == Kind::dot && at.where[1].kind == Kind::integer) return "a number has a digit before its point: 0.5";
    if (found == Kind::plus && operand_due) return "there is no unary `+`";
    const bool closer_due = at.expects("`)`") || at.expects("`]`");
    if (closer_due && found == Kind::kw_if && in_comprehension(at))
        return "a `for` of a comprehension has one `if`; join two conditions: `a and b`";
    if (found == Kind::kw_for && at.expects("`)`") && at.before() != Kind::comma)
        return makes_tuple(at)
                   ? "a comprehension in parentheses is a tuple, without a name in front: (f(x) for x in xs)"
                   : "a comprehension has brackets of its own: f([... for x in xs])";
    if (found == Kind::kw_if && closer_due) return "a choice is `if c { a } else { b }`";
    if (at.expects("`(`") && at.before() == Kind::kw_fn && is_any_word(found))
        return "a function within an expression has no name: fn(x) = x + 1";
    if (!at.expects("an expression")) return {};
    if (found == Kind::value_close && at.before() == Kind::value_open)
        return "write a value in the braces: \"x = {x}\"; `{{` and `}}` are braces themselves";
    if (found == Kind::kw_for) return "`for` is a statement and has no value; [f(x) for x in xs] has one";
    if (begins_statement(found)) return fmt::format("{} is a statement and has no value", shown(found));
    return {};
}

/// A repair for a mistake in braces that were read as a record.
std::string repair_of_record(const Place& at) {
    const Token* open = enclosing_bracket(at.first, at.where);
    if (open == nullptr || open->kind != Kind::record_open || !at.expects("`}`")) return {};
    if (at.found() == Kind::star || at.found() == Kind::star_star || at.found() == Kind::ellipsis)
        return "the fields of another record: {..r, b: 2}";
    if (at.found() == Kind::kw_for)
        return "a loop makes a record of computed names: mut r = {}; for n in names { r[n] = f(n) }; "
               "tree_map(f, r) makes one of another";
    if (at.found() == Kind::assign) return "a field is given its value by `:`";
    if (at.before() != Kind::record_open && open != at.first && open[-1].kind == Kind::assign &&
        at.first->kind == Kind::kw_fn && !is_closer(at.found()))
        return "after `=` this `{` begins a record; a body in braces has no `=`: fn f(x) { ... }";
    if (at.before() == Kind::record_open && (begins_statement(at.found()) || begins_operand(at.found())))
        return "this `{` begins a record; a block only follows a function, `if`, `else`, `for`, `while` or "
               "`test`";
    return {};
}

std::string repair_of_statement(const Place& at) {
    const Kind found = at.found();
    const Kind before = at.before();
    if (found == Kind::kw_else) return "`else` belongs to the `if` right before it";
    if (found == Kind::comma && at.first->kind == Kind::kw_import)
        return "each import is a statement of its own; modules of the library need none";
    if (found == Kind::comma && at.first->depth == at.where->depth &&
        (at.expects("`=`") || at.expects("`in`") || at.expects("the end of the statement")))
        return "write several values in parentheses: (a, b)";
    if (at.expects("`=`") && (found == Kind::newline || found == Kind::end))
        return "a name is given its value at once: let x = ...";
    if (at.expects("`=`") && (found == Kind::equal_equal || is_assignment(found))) return "write `=`";
    if (!at.expects("the end of the statement")) return {};
    if (found == Kind::colon) return "write a body in braces: { ... }";
    if (found == Kind::kw_if) return "a choice is `if c { a } else { b }`";
    if (begins_statement(found)) return "two statements on one line need `;` between them";
    if (begins_operand(found) && is_name(before)) {
        if (at.where == at.first + 1 && at.word(at.first) == "print")
            return "write arguments in parentheses: print(...)";
        return "a call needs parentheses, and two statements on one line need `;` between them";
    }
    if (begins_operand(found)) return "an operator is missing, or `;` between two statements";
    return {};
}

} // namespace

std::string repair(const Tokens& tokens, const Token* first, const Token* where, std::string_view expected) {
    const Place place{tokens, first, where, expected};
    for (const auto& look : {repair_of_habit, repair_of_word, repair_of_beginning, repair_of_naming, repair_of_body,
                             repair_of_record, repair_of_expression, repair_of_statement})
        if (std::string fix = look(place); !fix.empty()) return fix;
    return {};
}

std::string_view repair_of_symbol(std::string_view symbol) {
    if (symbol.front() == '\'') return "write a text in double quotes: \"...\"";
    return repair_of(foreign_symbols, symbol);
}

const Token* enclosing_bracket(const Token* first, const Token* where) {
    if (where->depth == 0) return nullptr;
    for (const Token* token = where; token-- != first;) {
        const bool opens = token->kind == Kind::round_open || token->kind == Kind::square_open ||
                           token->kind == Kind::record_open || token->kind == Kind::block_open;
        if (opens && token->depth + 1 == where->depth) return token;
    }
    return nullptr;
}

} // namespace pm::syntax
