#include "format_support.hpp"

#include <random>

// Formats random programs with blanks, line ends and comments wherever the language allows them. Formatting must not
// change the syntax tree, the tokens and the comments. A second formatting must not change the text.

using namespace pm::syntax;

namespace {

class Programs {
  public:
    explicit Programs(std::uint32_t seed) : random_(seed) {}

    std::string make() {
        out_.clear();
        const int count = 1 + below(5);
        for (int i = 0; i < count; ++i) {
            if (one_in(8)) add("## documentation " + std::to_string(below(9))), line_end();
            statement(3);
            separator();
        }
        return out_;
    }

  private:
    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
    bool one_in(int n) { return below(n) == 0; }
    const char* pick(std::initializer_list<const char*> list) {
        return list.begin()[below(static_cast<int>(list.size()))];
    }

    void add(std::string_view text) { out_ += text; }
    void comment() { add(pick({"# a comment", "#", "## not documentation", "#\tx ", "#!", "# f(a, \"b"})); }
    void line_end() { add(pick({"\n", "\n", "\n\n", " \n", "\r\n", "\n\n\n\n"})); }

    /// Appends blanks, line ends or comments, at a position where a line may end.
    void loose() {
        switch (below(14)) {
        case 0: return line_end();
        case 1: add(pick({"  ", "\t", " "})); return;
        case 6:
            add(" ");
            comment();
            add("\n");
            if (one_in(3)) comment(), line_end();
            return;
        case 7:
            line_end();
            comment();
            return line_end();
        default: add(" ");
        }
    }
    void gap() {
        if (bracket_)
            loose();
        else
            add(pick({" ", " ", "  ", "\t"}));
    }
    void token(std::string_view text) {
        add(text);
        gap();
    }
    /// Appends a token. After it a line may always end.
    void operation(std::string_view text) {
        add(text);
        loose();
    }

    void separator() {
        if (one_in(6))
            add(one_in(2) ? "  # behind" : "\t## behind ");
        else if (one_in(6))
            add(";");
        else if (one_in(6))
            return add("; ");
        line_end();
        if (one_in(8)) comment(), line_end();
    }

    template <class Inside>
    void in_brackets(std::string_view open, std::string_view close, int most, int least, const Inside& inside) {
        const bool outer = bracket_;
        bracket_ = true;
        token(open);
        const int count = least + below(most - least + 1);
        for (int i = 0; i < count; ++i) {
            inside(i);
            if (i + 1 < count || one_in(3)) token(",");
        }
        bracket_ = outer;
        add(close);
        gap();
    }

    void name() { token(pick({"a", "b", "x", "long_name_of_a_value", "min", "grad", "test", "as", "größe"})); }

    void block(int depth) {
        const bool outer = bracket_;
        bracket_ = false;
        add("{");
        const bool one_line = one_in(2);
        if (!one_line && one_in(6)) add(" # open");
        one_line ? add(" ") : line_end();
        const int count = below(4);
        for (int i = 0; i < count; ++i) {
            statement(depth - 1);
            if (one_line)
                add(i + 1 < count ? "; " : " ");
            else
                separator();
        }
        if (!one_line && one_in(5)) comment(), line_end();
        bracket_ = outer;
        add("}");
        gap();
    }

    void statement(int depth) {
        switch (depth > 0 ? below(12) : below(5)) {
        case 0:
            add(pick({"let ", "mut "}));
            pattern(1);
            if (one_in(4)) token(":"), type(1);
            operation("=");
            return expression(depth);
        case 1:
            add("x");
            if (one_in(2)) add("[i]");
            add(" ");
            operation(pick({"=", "+=", "min=", "//="}));
            return expression(depth);
        case 2:
        case 3:
        case 4: return expression(depth);
        case 5:
        case 6:
            add("fn f");
            add(std::to_string(below(9)));
            return function(depth);
        case 7:
            add("for ");
            pattern(1);
            operation("in");
            expression(depth - 1);
            return block(depth);
        case 8:
            add("while ");
            expression(depth - 1);
            return block(depth);
        default: return conditional(depth);
        }
    }

    void function(int depth) {
        in_brackets("(", ")", 3, 0, [&](int) {
            pattern(1);
            if (one_in(4)) token(":"), type(1);
            if (one_in(4)) token("="), expression(0);
        });
        if (one_in(4)) {
            operation("->");
            type(1);
        }
        if (one_in(2)) return block(depth);
        operation("=");
        expression(depth - 1);
    }

    void pattern(int depth) {
        if (depth > 0 && one_in(4)) return in_brackets("(", ")", 3, 2, [&](int) { pattern(depth - 1); });
        if (depth > 0 && one_in(6)) return in_brackets("{", "}", 3, 1, [&](int i) { field(i), pattern(depth - 1); });
        if (one_in(5)) return token("_");
        token("name_" + std::to_string(names_++)); // each name is bound once
    }
    void field(int i) { token("w" + std::to_string(i)), token(":"); }

    void type(int depth) {
        if (depth > 0 && one_in(3)) return in_brackets("(", ")", 3, 2, [&](int) { type(depth - 1); });
        if (one_in(2)) return token(pick({"f32", "any", "fn", "_"}));
        add("f32");
        in_brackets("[", "]", 3, 1, [&](int i) { i == 0 ? token("...") : expression(0); });
    }

    void conditional(int depth) {
        add("if ");
        expression(depth - 1);
        block(depth);
        if (one_in(3)) add("else if "), expression(0), block(depth);
        if (one_in(2)) add("else "), block(depth);
    }

    void expression(int depth) {
        if (depth > 0 && one_in(3)) {
            const int count = 1 + below(3);
            const char* const op = pick({"+", "*", "and", "or", "-", "|", "**", "@"});
            for (int i = 0; i < count; ++i) operand(depth - 1), operation(i == 0 && one_in(3) ? "==" : op);
        }
        operand(depth - 1);
        if (depth > 1 && one_in(10)) {
            add("with [i] ");
            operation(pick({"=", "+=", "max="}));
            operand(depth - 2);
            if (one_in(2)) add("with .w = 1 ");
        }
    }

    void operand(int depth) {
        if (one_in(8)) add(pick({"-", "~", "- - "}));
        primary(depth);
        for (int i = 0; i < 4 && depth > 0 && one_in(3); ++i) postfix(depth);
    }

    void postfix(int depth) {
        // The text may end with a line end. Outside of brackets, only a point may be after a line end in an expression.
        const bool can_call = bracket_ || out_.back() != '\n';
        switch (below(can_call ? 4 : 1)) {
        case 0:
            add(".");
            add(pick({"f", "in", "0", "shape"}));
            if (out_.back() != '0' && one_in(2)) return arguments(depth);
            return gap();
        case 1:
            return in_brackets("[", "]", 3, 1, [&](int i) { i == 0 && one_in(5) ? token("...") : index(depth - 1); });
        default: return arguments(depth);
        }
    }

    void arguments(int depth) {
        in_brackets("(", ")", 4, 0, [&](int i) {
            if (i > 1)
                token("axis" + std::to_string(i)), token("=");
            else if (i == 1 && one_in(4))
                token("*");
            expression(depth - 1);
        });
    }

    void index(int depth) {
        expression(depth);
        if (one_in(2)) return;
        token(":");
        if (one_in(2)) token("+");
        expression(depth);
    }

    void primary(int depth) {
        switch (depth > 0 ? below(12) : below(4)) {
        case 0: return token(pick({"1", "1.5", "2f64", "0xFF", "1e-3", "2j", "1_000"}));
        case 1: return token(pick({"\"text\"", "\"a {x:.4f} # no comment {f(\"in\")}\"", "\"\"", "\"{{\\n\""}));
        case 2:
        case 3: return name();
        case 4:
        case 5: return in_brackets("(", ")", 4, 0, [&](int) { expression(depth - 1); });
        case 6: return in_brackets("[", "]", 12, 0, [&](int) { expression(depth - 2); });
        case 7: return in_brackets("{", "}", 3, 0, [&](int i) { field(i), expression(depth - 1); });
        case 8: return conditional(depth - 1);
        case 9: add("fn"); return function(depth - 1);
        case 10: {
            const bool outer = bracket_;
            bracket_ = true;
            token("(");
            expression(depth - 1);
            add("for ");
            pattern(1);
            token("in");
            expression(depth - 1);
            bracket_ = outer;
            add(")");
            return gap();
        }
        default: return in_brackets("[", "]", 30, 1, [&](int) { token(pick({"1", "-22.5", "333", "4444.25"})); });
        }
    }

    std::mt19937 random_;
    std::string out_;
    int names_ = 0;
    bool bracket_ = false; ///< the position is inside of `(`, `[` or a record, where lines may end anywhere
};

} // namespace

TEST_CASE("formatted random programs have the same tree, tokens and comments") {
    Programs programs(20240611);
    int valid = 0;
    for (int i = 0; i < 4000; ++i) {
        const std::string text = programs.make();
        if (!Parsed(text).result.ok()) continue; // invalid: two statements on a line, `a == b == c`, and similar texts
        ++valid;
        INFO(text);
        formatted(text); // the formatter compares tree, tokens and comments, and throws if they differ
    }
    CHECK_MESSAGE(valid > 1500, valid);
}
