#include "compiler/cli/editor/history.hpp"
#include "runtime/failure.hpp"
#include "runtime/io/replace.hpp"

#include "compiler/cli/user_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

namespace pm::cli::editor {
namespace {

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(file, text.data(), text.size());
        if (n <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

bool fits(const std::string& entry, std::string_view text, bool anywhere, std::string_view other) {
    if (entry == other) return false;
    return anywhere ? entry.find(text) != std::string::npos : entry.compare(0, text.size(), text) == 0;
}

} // namespace

std::string to_line(std::string_view entry) {
    std::string line;
    for (const char c : entry) {
        if (c == '\\')
            line += "\\\\";
        else if (c == '\n')
            line += "\\n";
        else
            line += c;
    }
    return line;
}

std::string from_line(std::string_view line) {
    std::string entry;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\\' || i + 1 == line.size()) {
            entry += line[i];
            continue;
        }
        ++i;
        entry += line[i] == 'n' ? '\n' : line[i];
    }
    return entry;
}

History::History(std::string file) : file_(std::move(file)) {
    if (file_.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), error);
    std::ifstream in(file_, std::ios::binary);
    for (std::string line; std::getline(in, line);)
        if (!line.empty()) entries_.push_back(from_line(line));
    if (entries_.size() <= most) return;
    const bool much_more = entries_.size() > 2 * most;
    entries_.erase(entries_.begin(), entries_.end() - static_cast<std::ptrdiff_t>(most));
    if (much_more) rewrite();
}

void History::rewrite() const {
    std::string text;
    for (const std::string& entry : entries_) text += to_line(entry) + "\n";
    try {
        runtime::replace_file(file_, text);
        ::chmod(file_.c_str(), 0600);   // only the owner may read and write it
    } catch (const runtime::Failure&) { // the file stays as it was
    }
}

void History::add(const std::string& entry) {
    if (entry.find_first_not_of(" \t\n") == std::string::npos) return;
    if (!entries_.empty() && entries_.back() == entry) return;
    entries_.push_back(entry);
    if (entries_.size() > 2 * most)
        entries_.erase(entries_.begin(), entries_.end() - static_cast<std::ptrdiff_t>(most));
    if (file_.empty()) return;
    // Entries may be private: only the owner can read the file.
    const int file = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    write_all(file, to_line(entry) + "\n");
    ::close(file);
}

std::optional<std::size_t> History::older(std::size_t from, std::string_view text, bool anywhere,
                                          std::string_view other) const {
    for (std::size_t i = std::min(from, entries_.size()); i-- > 0;)
        if (fits(entries_[i], text, anywhere, other)) return i;
    return {};
}

std::optional<std::size_t> History::newer(std::size_t from, std::string_view text, bool anywhere,
                                          std::string_view other) const {
    for (std::size_t i = from + 1; i < entries_.size(); ++i)
        if (fits(entries_[i], text, anywhere, other)) return i;
    return {};
}

std::string History::default_file() {
    const std::string states = user_folder("XDG_STATE_HOME", ".local/state");
    return states.empty() ? states : states + "/polymap/history";
}

} // namespace pm::cli::editor
