#include "compiler/cli/repl/keyword_docs.hpp"

#include "compiler/syntax/token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace pm::cli {
namespace {

struct Entry {
    std::string_view word;
    std::string_view forms;
    std::string_view meaning;
};
constexpr auto entries = std::to_array<Entry>({
    {"let", "let x = e",
     "Defines a name that cannot be assigned. A later `let` may define it again. Patterns take values apart:\n"
     "let (a, b) = pair, let {w, b: bias} = record, let (first, *rest) = t."},
    {"mut", "mut x = e",
     "Defines a name that can be assigned: x = e, x += e, x[i] = e, x.w = e. Values never change: other names of the\n"
     "old value keep it. A loop of compiled code carries the names that it assigns."},
    {"fn", "fn f(a, b=1) = e, fn f(a) { ... }",
     "Defines a function; without a name it is an expression, fn(x) = x + 1. The last expression of a body is its\n"
     "value. Lines with ## above it are its documentation."},
    {"if", "if c { a } else { b }",
     "An expression. The condition is a bool. Of a computed condition both sides become code, and their values have\n"
     "the same structure and shapes."},
    {"else", "if c { a } else if d { b } else { e }",
     "The side of an `if` that is taken if no condition before it holds."},
    {"for", "for x in xs { ... }, [f(x) for x in xs], (f(x) for x in xs)",
     "Runs over ranges (0..n), arrays (along axis 0), tuples, texts, records and each(tree). The brackets make an\n"
     "array, the parentheses a tuple; `if c` at the end keeps only elements for which c holds."},
    {"in", "for x in xs { ... }, v in xs",
     "Names what a loop runs over. As an operator: whether a tuple or an array has an element equal to v, a record a\n"
     "field of the name v, or a text the part v."},
    {"while", "while c { ... }",
     "Repeats the body as long as c holds. In compiled code the values that it assigns keep their dtypes and shapes."},
    {"break", "break", "Ends the innermost loop."},
    {"continue", "continue", "Goes on with the next iteration of the innermost loop."},
    {"return", "return, return e", "Ends the function, with the value e or `none`."},
    {"and", "a and b",
     "True if both are. Of scalars, b is evaluated only if a is true. Arrays are combined element by element."},
    {"or", "a or b",
     "True if one is. Of scalars, b is evaluated only if a is false. Arrays are combined element by element."},
    {"not", "not a, v not in xs", "The opposite of a bool, or of each element of an array."},
    {"with", "x with [i] = v, r with .a += v",
     "A changed copy. The operators are = += -= *= /= min= max=; all except = accumulate where an index is repeated."},
    {"import", "import nn, import \"model.pm\", import \"model.pm\" as m",
     "A module of the library, which needs no import, or of a file. The file is searched in the folder of the\n"
     "importing file, then in the folders of --path and PM_PATH."},
    {"true", "true", "The bool that holds."},
    {"false", "false", "The bool that does not hold."},
    {"none", "none", "The value of what has no other value. x == none asks for it."},
    {"test", "test \"name\" { ... }", "A test of the file, which only `pm test` runs."},
    {"@", "a @ b", "The product of matrices and vectors, as jax.numpy.matmul."},
    {"**", "a ** b", "The power. It binds tighter than a minus before it: -2 ** 2 is -4."},
    {"//", "a // b", "The quotient rounded down: -7 // 2 is -4. Integers stay integers."},
    {"%", "a % b", "The remainder of a // b, with the sign of b: -7 % 2 is 1."},
    {"..", "0..n, {..r, w: 1}", "The integers from 0 to n - 1. In a record: the fields of r."},
    {"as", "import \"model.pm\" as m", "The name of an imported module."},
});

constexpr bool has_entry(std::string_view word) {
    return std::ranges::any_of(entries, [&](const Entry& e) { return e.word == word; });
}
// Every keyword has an entry, except those that name values with documentation.
#define KEYWORD(id, text) static_assert(syntax::is_transform(syntax::TokenKind::id) || has_entry(text), text);
#include "compiler/syntax/tokens.def"

} // namespace

std::string keyword_doc(std::string_view word) {
    const auto* const entry = std::ranges::find(entries, word, &Entry::word);
    return entry == entries.end() ? std::string() : fmt::format("{}\n{}\n", entry->forms, entry->meaning);
}

} // namespace pm::cli
