#include "compiler/syntax/token_layout.hpp"

#include "compiler/syntax/parse.hpp"

namespace pm::syntax {
namespace {

using Kind = TokenKind;

class LayoutPass {
  public:
    LayoutPass(Tokens& tokens, std::vector<Diagnostic>& errors) : tokens_(tokens), errors_(errors) {
        in_.swap(tokens.list);
        out_.reserve(in_.size() + 16);
        open_.push_back({0, Kind::block_open, 0}); // the file itself is a block
    }

    /// Runs the pass, which reads in_ and writes out_.
    TokenLayout run() {
        for (next_ = 0; next_ < in_.size(); ++next_) {
            const Token& token = in_[next_];
            if (token.kind == Kind::newline) {
                line_starts_ = true;
                continue;
            }
            if (line_starts_ || out_.empty()) start_of_line(token);
            line_starts_ = false;
            if (token.kind == Kind::end) break;
            place(token);
            if (open_.size() > max_nesting + 1) {
                errors_.push_back(diagnose(Diag::nesting_too_deep, tokens_.span_of(token), max_nesting));
                return {{}, false, true};
            }
        }
        TokenLayout result;
        for (std::size_t i = 1; i < open_.size(); ++i) result.open_at_end.push_back(open_[i].token);
        result.goes_on = !result.open_at_end.empty() || goes_on();
        put(in_.back());
        tokens_.list = std::move(out_);
        return result;
    }

  private:
    struct Open {
        std::uint32_t token; ///< the index of the bracket in out_
        Kind kind;
        std::uint32_t indent; ///< the indent of the line on which the last statement in the bracket began
    };

    void report(Diagnostic diagnostic) {
        if (errors_.size() < max_errors) errors_.push_back(std::move(diagnostic));
    }

    bool in_block() const { return open_.back().kind == Kind::block_open; }
    const Token* previous(std::size_t back = 1) const {
        return out_.size() < back ? nullptr : &out_[out_.size() - back];
    }
    Kind following() const { return next_ + 1 < in_.size() ? in_[next_ + 1].kind : Kind::end; }

    void put(Token token) {
        token.depth = static_cast<std::uint32_t>(open_.size() - 1);
        out_.push_back(token);
    }

    /// Whether the last token is a word after a point. Such a word is a name, even if it is a keyword elsewhere.
    bool is_member() const {
        return out_.size() >= 2 && is_any_word(previous()->kind) && previous(2)->kind == Kind::dot;
    }

    /// Whether the last token of a line shows that the statement continues on the next line.
    bool goes_on() const {
        if (out_.empty() || is_member()) return false;
        const Kind k = previous()->kind;
        return is_binary_operator(k) || is_assignment(k) || k == Kind::tilde || k == Kind::kw_not || k == Kind::comma ||
               k == Kind::arrow || k == Kind::kw_with || k == Kind::dot;
    }

    bool at_statement_start() const {
        if (out_.empty()) return true;
        const Kind k = previous()->kind;
        return k == Kind::newline || k == Kind::semicolon || k == Kind::block_open;
    }

    /// Whether a word can only be the beginning of a statement. If such a word is inside of `(`, `[` or a record, that
    /// bracket was never closed.
    bool begins_statement(const Token& token) const {
        const Kind next = following();
        if (next == Kind::colon || next == Kind::assign || (!out_.empty() && previous()->kind == Kind::dot))
            return false;
        switch (token.kind) {
        case Kind::kw_let:
        case Kind::kw_mut:
        case Kind::kw_while:
        case Kind::kw_return:
        case Kind::kw_break:
        case Kind::kw_continue:
        case Kind::kw_import: return true;
        case Kind::kw_fn: return is_any_word(next);
        case Kind::cw_test: return next == Kind::text_begin;
        default: return false; // no other kind
        }
    }

    void start_of_line(const Token& token) {
        const std::uint32_t indent = token.begin - line_begin();
        if (!in_block() && begins_statement(token))
            while (!in_block()) miss();
        line_indent_ = indent;
        if (!in_block() || at_statement_start()) return note_statement();
        if (token.kind == Kind::end) return;
        if (goes_on() && !begins_statement(token)) return;
        if (token.kind == Kind::kw_else || token.kind == Kind::kw_with) return;
        if (token.kind == Kind::dot && (is_any_word(following()) || following() == Kind::integer)) return;
        const bool not_in = token.kind == Kind::kw_not && following() == Kind::kw_in;
        if (token.kind == Kind::minus) {
            if (indent > open_.back().indent) {
                report(diagnose(Diag::minus_at_line_start, tokens_.span_of(token))
                           .fix("to go on, end the line before with the `-`; to begin a statement, indent "
                                "it like the one before"));
                return;
            }
        } else if (is_binary_operator(token.kind) || is_assignment(token.kind) || not_in) {
            report(diagnose(Diag::operator_at_line_start, tokens_.span_of(token), tokens_.text_of(token))
                       .fix(fmt::format("end the line before with `{}`, or put the whole in parentheses",
                                        tokens_.text_of(token))));
            return;
        }
        put({Kind::newline, 0, previous()->end, token.begin});
        note_statement();
    }

    std::uint32_t line_begin() const {
        // A newline token is a run of line ends. The line begins after the last line end.
        const std::size_t last = tokens_.text.rfind('\n', in_[next_].begin == 0 ? 0 : in_[next_].begin - 1);
        return last == std::string_view::npos ? 0 : static_cast<std::uint32_t>(last + 1);
    }

    void note_statement() { open_.back().indent = line_indent_; }

    /// Closes the innermost bracket by a `missing` token.
    void miss() {
        const Open open = open_.back();
        open_.pop_back();
        const std::uint32_t at = previous()->end;
        put({Kind::missing, open.token, at, at});
    }

    /// Whether a `{` here opens a block: after an expression, a signature or `else`.
    bool opens_block() const {
        if (out_.empty()) return false;
        if (is_member()) return true;
        switch (const Kind k = previous()->kind; k) {
        case Kind::integer:
        case Kind::real:
        case Kind::imaginary:
        case Kind::text_end:
        case Kind::bad:
        case Kind::missing:
        case Kind::round_close:
        case Kind::square_close:
        case Kind::record_close:
        case Kind::block_close:
        case Kind::kw_true:
        case Kind::kw_false:
        case Kind::kw_none:
        case Kind::kw_else: return true;
        case Kind::kw_fn: return out_.size() >= 2 && previous(2)->kind == Kind::arrow; // `-> fn {`
        default: return is_name(k) || is_transform(k);
        }
    }

    void place(Token token) {
        switch (token.kind) {
        case Kind::record_open:
            if (opens_block()) token.kind = Kind::block_open;
            [[fallthrough]];
        case Kind::round_open:
        case Kind::square_open:
        case Kind::value_open:
            put(token);
            open_.push_back({static_cast<std::uint32_t>(out_.size() - 1), token.kind, line_indent_});
            return;
        case Kind::record_close: return close_brace(token);
        case Kind::round_close: return close(token, Kind::round_open);
        case Kind::square_close: return close(token, Kind::square_open);
        case Kind::value_close: return close(token, Kind::value_open);
        default: put(token); return;
        }
    }

    /// Writes a closing bracket that has no opening bracket. The grammar will report this mistake.
    void put_unmatched(Token token) {
        token.extra = 1;
        put(token);
    }

    void close(const Token& token, Kind opener) {
        std::size_t i = open_.size() - 1;
        while (i > 0 && open_[i].kind != opener && open_[i].kind != Kind::value_open) --i;
        if (i == 0 || open_[i].kind != opener) return put_unmatched(token);
        while (open_.size() - 1 > i) miss();
        open_.pop_back();
        put(token);
    }

    void close_brace(Token token) {
        std::size_t i = open_.size() - 1;
        while (i > 0 && (open_[i].kind == Kind::round_open || open_[i].kind == Kind::square_open)) --i;
        if (i == 0 || open_[i].kind == Kind::value_open) return put_unmatched(token);
        while (open_.size() - 1 > i) miss();
        if (open_.back().kind == Kind::block_open) token.kind = Kind::block_close;
        open_.pop_back();
        put(token);
    }

    Tokens& tokens_;
    std::vector<Diagnostic>& errors_;
    std::vector<Token> in_;
    std::vector<Token> out_;
    std::vector<Open> open_;
    std::size_t next_ = 0;
    bool line_starts_ = false;
    std::uint32_t line_indent_ = 0;
};

} // namespace

TokenLayout lay_out(Tokens& tokens, std::vector<Diagnostic>& errors) { return LayoutPass(tokens, errors).run(); }

} // namespace pm::syntax
