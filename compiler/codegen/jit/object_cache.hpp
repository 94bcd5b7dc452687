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

/// A folder of objects that are kept between runs, one file per program. A file is written under another name and then
/// renamed, so a file under its final name is complete. A file contains its key and a digest (BLAKE3) of its content.
/// Both are verified before any object is used. A file that is damaged, truncated, of an older format or under another
/// entry's name is ignored. The next store replaces such a file. The digest detects accidents only: any process that
/// can write to the folder can make the program run its code. A folder that cannot be written is not an error.
///
/// The size of the folder and its number of files stay near their limits. Keys are evenly distributed, so each of the
/// 256 prefixes of two digits has an equal share of the limits. One store in 16, selected by its key, examines the
/// files with the prefix of its key. If the files exceed the share, the store removes the least recently used files
/// until three quarters of the share are left. (To examine the whole folder at once took minutes, because the times of
/// 80 000 files had to be read.) The store also removes temporary files older than an hour, which are left by killed
/// processes. Files with other names stay. Several processes may use the folder at the same time. If a file is missing,
/// its program is compiled again.
class ObjectCache {
  public:
    struct Limits {
        std::uint64_t bytes = std::uint64_t{256} << 20;
        std::size_t files = 20'000;
    };
    explicit ObjectCache(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}
    explicit ObjectCache(std::string folder) : ObjectCache(std::move(folder), Limits{}) {}

    /// The key of the code for `text`, compiled by the compiler that `maker` identifies.
    static std::string key(std::string_view text, std::string_view maker);
    /// The objects stored under `key`. nullopt if there is no such file, or if the file is not intact.
    std::optional<Objects> find(const std::string& key) const;
    /// Stores `objects`, unless they are larger than the limit of the whole folder.
    void store(const std::string& key, const Objects& objects) const;
    /// Removes files with the prefix of this key until the remaining files are within their share of the limits.
    /// store() calls this function for one key in 16.
    void trim_beside(const std::string& key) const;

  private:
    std::string folder_;
    Limits limits_;
};

} // namespace pm::codegen
