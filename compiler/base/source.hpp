#pragma once
#include "compiler/base/span.hpp"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace pm {

/// One source text with its line table. Lines and columns are numbered from 1; a column is a code point.
class Source {
  public:
    Source(std::string name, std::string text);

    const std::string& name() const { return name_; }
    std::string_view text() const { return text_; }

    struct Position {
        std::uint32_t line;
        std::uint32_t column;
    };
    Position position(std::uint32_t offset) const;
    /// The text of a line without its newline; `line` counts from 1.
    std::string_view line(std::uint32_t line) const;
    std::uint32_t line_count() const { return static_cast<std::uint32_t>(starts_.size()); }

  private:
    std::string name_;
    std::string text_;
    std::vector<std::uint32_t> starts_;
};

/// All sources of one engine, numbered from 1. References to sources stay valid while the map lives.
class SourceMap {
  public:
    /// Adds a text and returns its number.
    std::uint32_t add(std::string name, std::string text);
    const Source& operator[](std::uint32_t number) const;
    /// The source text of a span. Empty if the span has no source.
    std::string_view text(Span span) const;
    std::size_t size() const { return sources_.size(); }

  private:
    std::deque<Source> sources_;
};

} // namespace pm
