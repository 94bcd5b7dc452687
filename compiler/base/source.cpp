#include "compiler/base/source.hpp"

#include "compiler/base/check.hpp"
#include "runtime/utf8.hpp"

#include <algorithm>

namespace pm {

Source::Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
    // A carriage return alone ends a line, as on early Macintoshes. The carriage return is replaced by a newline of the
    // same length, so offsets in the text are equal to offsets in the file.
    for (std::size_t i = 0; i < text_.size(); ++i)
        if (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n')) text_[i] = '\n';
    starts_.push_back(0);
    for (std::size_t i = 0; i < text_.size(); ++i)
        if (text_[i] == '\n') starts_.push_back(static_cast<std::uint32_t>(i + 1));
}

Source::Position Source::position(std::uint32_t offset) const {
    offset = std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(text_.size()));
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
    const auto line = static_cast<std::uint32_t>(after - starts_.begin());
    const std::string_view before = std::string_view(text_).substr(starts_[line - 1], offset - starts_[line - 1]);
    return {line, 1 + static_cast<std::uint32_t>(runtime::utf8_count(before))};
}

std::string_view Source::line(std::uint32_t line) const {
    PM_CHECK(line >= 1 && line <= starts_.size());
    const std::uint32_t begin = starts_[line - 1];
    std::size_t end = line < starts_.size() ? starts_[line] - 1 : text_.size();
    if (end > begin && text_[end - 1] == '\r') --end;
    return std::string_view(text_).substr(begin, end - begin);
}

std::uint32_t SourceMap::add(std::string name, std::string text) {
    sources_.emplace_back(std::move(name), std::move(text));
    return static_cast<std::uint32_t>(sources_.size());
}

const Source& SourceMap::operator[](std::uint32_t number) const {
    PM_CHECK(number >= 1 && number <= sources_.size());
    return sources_[number - 1];
}

std::string_view SourceMap::text(Span span) const {
    if (!span) return {};
    return (*this)[span.source].text().substr(span.begin, span.end - span.begin);
}

} // namespace pm
