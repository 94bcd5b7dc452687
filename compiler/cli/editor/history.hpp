#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pm::cli::editor {

/// What was entered, in this session and those before. In the file one entry is one line, its newlines written as `\n`
/// and backslashes doubled. Each entry is appended at once, so sessions side by side lose nothing of each other.
class History {
  public:
    static constexpr std::size_t most = 10000;

    History() = default;
    /// Reads the file, which need not exist. A file that cannot be read or written is no error: then the history is of
    /// this session only.
    explicit History(std::string file);

    /// The newest entry; not one that repeats the one before, and not an empty one.
    void add(const std::string& entry);
    const std::vector<std::string>& entries() const { return entries_; }

    /// Below `from`, the newest entry that begins with (or contains) `text` and is not `other`; `from` may be
    /// entries().size().
    std::optional<std::size_t> older(std::size_t from, std::string_view text, bool anywhere,
                                     std::string_view other = {}) const;
    /// The same above `from`.
    std::optional<std::size_t> newer(std::size_t from, std::string_view text, bool anywhere,
                                     std::string_view other = {}) const;

    /// $XDG_STATE_HOME/polymap/history, or below ~/.local/state; empty when neither is known.
    static std::string default_file();

  private:
    void rewrite() const;

    std::string file_;
    std::vector<std::string> entries_;
};

/// An entry as a line of the file, and back.
std::string to_line(std::string_view entry);
std::string from_line(std::string_view line);

} // namespace pm::cli::editor
