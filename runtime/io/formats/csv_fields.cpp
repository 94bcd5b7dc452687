#include "runtime/io/formats/csv_fields.hpp"

#include "runtime/failure.hpp"

#include <fmt/format.h>

namespace pm::runtime {

std::string read_with(char other) {
    return fmt::format("fields that are divided by '{0}' are read with delim=\"{0}\"",
                       other == '\t' ? "\\t" : std::string(1, other));
}

std::string read_with_other(std::string_view text, char delimiter) {
    for (const char other : other_delimiters)
        if (other != delimiter && text.find(other) != std::string_view::npos) return read_with(other);
    return {};
}

void fail_csv(const std::string& name, std::int64_t line, std::int64_t column, const std::string& detail,
              std::string help) {
    Failure failure(FailureKind::file_malformed, fmt::format("{}, line {}, column {}: {}", name, line, column, detail),
                    std::move(help));
    failure.line = line;
    failure.column = column;
    throw failure;
}

void fail_empty_csv(const std::string& name) {
    throw Failure(FailureKind::file_malformed, fmt::format("{} is empty", name),
                  "write the table first, or ask before: read_text(path) != \"\"");
}

CsvLines::CsvLines(std::string_view text, char delimiter, char comment, const std::string& name,
                   const std::function<void()>& poll)
    : text_(text), delimiter_(delimiter), comment_(comment), name_(name), poll_(poll) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = line_begin_ = 3;
    if (delimiter == '"' || delimiter == '\n' || delimiter == '\r')
        throw Failure(FailureKind::bad_argument, "a quote or a line end cannot be the delimiter",
                      "say what divides the fields: delim=\",\"");
}

bool CsvLines::next(std::vector<CsvField>& fields) {
    fields.clear();
    unquoted_.clear();
    while (take_line_end() || take_comment()) pass(at_); // empty lines and comments
    if (at_ == text_.size()) return false;
    for (;;) {
        pass(at_);
        CsvField field;
        field.line = line_;
        field.column = static_cast<std::int64_t>(at_ - line_begin_) + 1;
        if (at_ < text_.size() && text_[at_] == '"')
            quoted_field(field);
        else
            plain_field(field);
        fields.push_back(field);
        if (at_ < text_.size() && text_[at_] == delimiter_) {
            ++at_;
            continue;
        }
        take_line_end();
        return true;
    }
}

void CsvLines::skip(std::int64_t lines) {
    for (std::int64_t line = 0; line < lines; ++line) {
        if (at_ == text_.size())
            fail_csv(name_, line_, 1, fmt::format("the file has {} lines, fewer than the {} to skip", line, lines));
        take_line();
        take_line_end();
    }
}

void CsvLines::take_line() {
    for (; at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r'; ++at_) pass(at_);
}

bool CsvLines::take_comment() {
    if (comment_ == '\0' || at_ == text_.size() || text_[at_] != comment_) return false;
    take_line();
    return true;
}

bool CsvLines::take_line_end() {
    if (at_ == text_.size() || (text_[at_] != '\n' && text_[at_] != '\r')) return false;
    at_ += text_.substr(at_, 2) == "\r\n" ? 2 : 1;
    ++line_;
    line_begin_ = at_;
    return true;
}

void CsvLines::poll(std::size_t at) {
    constexpr std::size_t bytes_between_polls = 4 << 10; // processing them takes less than a millisecond
    poll_at_ = at + bytes_between_polls;
    if (poll_) poll_();
}

void CsvLines::plain_field(CsvField& field) {
    const std::size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] != delimiter_ && text_[at_] != '\n' && text_[at_] != '\r'; ++at_) pass(at_);
    field.text = text_.substr(begin, at_ - begin);
}

void CsvLines::quoted_field(CsvField& field) {
    field.quoted = true;
    const std::size_t begin = ++at_;
    bool doubled = false;
    for (;; ++at_) {
        pass(at_);
        if (at_ == text_.size()) fail_csv(name_, field.line, field.column, "this quote is not closed");
        if (text_[at_] == '\n') {
            ++line_;
            line_begin_ = at_ + 1;
        }
        if (text_[at_] != '"') continue;
        if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
        doubled = true;
        ++at_;
    }
    field.text = text_.substr(begin, at_ - begin);
    ++at_;
    const bool ends = at_ == text_.size() || text_[at_] == delimiter_ || text_[at_] == '\n' || text_[at_] == '\r';
    if (!ends) {
        const std::string help = read_with_other(text_.substr(at_, 1), delimiter_);
        fail_csv(name_, line_, static_cast<std::int64_t>(at_ - line_begin_) + 1, "there is text behind a closing quote",
                 help.empty() ? "a quote within a quoted field is written twice" : help);
    }
    if (!doubled) return;
    std::string plain;
    poll_at_ = 0;
    for (std::size_t i = 0; i < field.text.size(); ++i) {
        pass(i);
        plain += field.text[i];
        if (field.text[i] == '"') ++i;
    }
    unquoted_.push_back(std::move(plain));
    field.text = unquoted_.back();
}

} // namespace pm::runtime
