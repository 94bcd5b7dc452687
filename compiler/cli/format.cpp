// pm fmt.
#include "compiler/syntax/format.hpp"
#include "compiler/cli/options.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pm::cli {
namespace {

[[noreturn]] void unwritable(const std::string& path) {
    raise(diagnose(Diag::file_unwritable, {}, fmt::format("cannot write `{}`: {}", path, std::strerror(errno))));
}

/// A file beside another, which takes its place at once or not at all.
class Replacement {
  public:
    explicit Replacement(const std::string& path) {
        // What a link leads to is replaced, not the link.
        char* real = ::realpath(path.c_str(), nullptr);
        path_ = real ? real : path;
        std::free(real);
        name_ = path_ + ".XXXXXX";
        file_ = ::mkstemp(name_.data());
        if (file_ < 0) unwritable(path_);
    }
    ~Replacement() {
        if (file_ < 0) return;
        ::close(file_);
        ::unlink(name_.c_str());
    }
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;

    void commit(std::string_view text) {
        struct stat old{};
        if (::stat(path_.c_str(), &old) != 0) unwritable(path_);
        // A file of somebody else stays theirs where that is allowed; where not, it is as a file newly written.
        if (::fchown(file_, old.st_uid, old.st_gid) != 0) errno = 0;
        if (::fchmod(file_, old.st_mode & 07777U) != 0) unwritable(path_);
        while (!text.empty()) {
            const ssize_t written = ::write(file_, text.data(), text.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) unwritable(path_);
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        if (::fsync(file_) != 0 || ::rename(name_.c_str(), path_.c_str()) != 0) unwritable(path_);
        ::close(file_);
        file_ = -1;
    }

  private:
    std::string path_;
    std::string name_;
    int file_ = -1;
};

int format_one(const Options& options, const std::string& file) {
    SourceMap sources;
    return guarded(options, &sources, [&] {
        const bool input = file == "-";
        const std::uint32_t source =
            sources.add(input ? "<input>" : file, input ? read_input() : api::read_source(file));
        syntax::Formatted formatted = syntax::format_source(sources, source);
        if (!formatted.ok()) throw api::SyntaxErrors(std::move(formatted.errors));
        const bool same = formatted.text == sources[source].text();
        if (options.check) {
            if (!same) fmt::print("{}\n", sources[source].name());
            return static_cast<int>(same ? exit_done : exit_error);
        }
        if (input)
            std::fwrite(formatted.text.data(), 1, formatted.text.size(), stdout);
        else if (!same)
            Replacement(file).commit(formatted.text);
        return static_cast<int>(exit_done);
    });
}

} // namespace

int format(Options& options) {
    int code = exit_done;
    for (const std::string& file : options.files) code = std::max(code, format_one(options, file));
    return code;
}

} // namespace pm::cli
