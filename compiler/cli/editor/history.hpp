#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pm::cli::editor {

/// The entries of this session and of earlier sessions. In the file one entry is one line, with newlines written as
/// `\n` and backslashes doubled. Each entry is appended at once, so concurrent sessions lose no entries.
class History {
  public:
    static constexpr std::size_t most = 10000;

    History() = default;
    /// Reads the file, which need not exist. A file that cannot be read or written is no error: the history then has
    /// only the entries of this session.
    explicit History(std::string file);

    /// Adds the newest entry, unless the entry is empty or equal to the previous entry.
    void add(const std::string& entry);
    const std::vector<std::string>& entries() const { return entries_; }

    /// Searches the entries with numbers below `from`. Returns the number of the newest entry that begins with `text`
    /// and is not equal to `other`. If `anywhere` is true, the entry may contain `text` at any place. `from` may be
    /// entries().size(). nullopt if no entry is found.
    std::optional<std::size_t> older(std::size_t from, std::string_view text, bool anywhere,
                                     std::string_view other = {}) const;
    /// As older(), but returns the oldest entry with a number above `from`.
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
