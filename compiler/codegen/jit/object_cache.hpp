#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pm::codegen {

/// The objects of one program, as files of machine code.
using Objects = std::vector<std::string>;

/// Objects kept in a folder between runs, one file per program. Files appear whole: they are written aside, then
/// renamed. A file holds its key and a digest (BLAKE3) of its content, and both are compared before any object is used:
/// a file that is damaged, cut, of an older format or under another entry's name is ignored, and replaced by the next
/// store. The digest finds accidents; whoever may write to the folder may have any code run. A folder that cannot be
/// written is no error.
///
/// The folder stays about within its limits. Keys are evenly spread, so each of the 256 beginnings of two digits has
/// its share of the limits; one store in 16, told by its key, looks at the files that begin as that key does, and when
/// they are too many or too large removes the least recently found or stored of them, down to three quarters of the
/// share. (Not the whole folder at once: asking for the times of 80 000 files that are not in memory took minutes.)
/// Files written aside more than an hour ago go too: whoever wrote them was killed. Files with other names are left
/// alone. Several processes may do all this at once: a file that is gone is only compiled again.
class ObjectCache {
  public:
    struct Limits {
        std::uint64_t bytes = std::uint64_t{256} << 20;
        std::size_t files = 20'000;
    };
    explicit ObjectCache(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}
    explicit ObjectCache(std::string folder) : ObjectCache(std::move(folder), Limits{}) {}

    /// The name under which code for `text` made by a compiler described by `maker` is kept.
    static std::string key(std::string_view text, std::string_view maker);
    /// What was stored under `key`; nothing where there is no such file, or one that is not as it was written.
    std::optional<Objects> find(const std::string& key) const;
    /// Keeps `objects`, unless they are larger than the limit of the whole folder.
    void store(const std::string& key, const Objects& objects) const;
    /// Brings the files whose keys begin like this one within their share, as store does now and then.
    void trim_beside(const std::string& key) const;

  private:
    std::string folder_;
    Limits limits_;
};

} // namespace pm::codegen
