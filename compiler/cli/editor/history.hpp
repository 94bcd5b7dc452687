#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pm::cli::editor {

/// The entries of this session and earlier ones. In the file one entry is one line, with newlines written as `\n` and
/// backslashes doubled. Each entry is appended at once, so concurrent sessions lose no entries.
class History {
  public:
    static constexpr std::size_t most = 10000;

    History() = default;
    /// Reads the file, which need not exist. A file that cannot be read or written is no error: the history then has
    /// only the entries of this session.
    explicit History(std::string file);

    /// Adds the newest entry, unless it is empty or equal to the previous entry.
    void add(const std::string& entry);
    const std::vector<std::string>& entries() const { return entries_; }

    /// The number of the newest entry before number `from` that begins with `text` (if `anywhere` is true: that
    /// contains `text`) and is not equal to `other`. `from` may be entries().size(). nullopt if there is none.
    std::optional<std::size_t> older(std::size_t from, std::string_view text, bool anywhere,
                                     std::string_view other = {}) const;
    /// As older(), but the oldest entry after number `from`.
    std::optional<std::size_t> newer(std::size_t from, std::string_view text, bool anywhere,
                                     std::string_view other = {}) const;

    /// $XDG_STATE_HOME/polymap/history, or ~/.local/state/polymap/history if the variable is not set. Empty if the home
    /// folder is not known either.
    static std::string default_file();

  private:
    void rewrite() const;

    std::string file_;
    std::vector<std::string> entries_;
};

/// Conversion of an entry to a line of the file, and back.
std::string to_line(std::string_view entry);
std::string from_line(std::string_view line);

} // namespace pm::cli::editor
