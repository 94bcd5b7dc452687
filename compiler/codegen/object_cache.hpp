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

/// Objects kept in a folder between runs, one file per program. Files appear whole (written aside, then renamed), carry
/// a checksum, and are ignored when anything about them is wrong; a folder that cannot be written is no error.
///
/// The folder stays about within its limits: one store in 256, told by the key, looks through it (40 ms for 20 000
/// files), and when there is too much removes what was least recently found or stored, down to three quarters. It also
/// removes files that were written aside more than an hour ago: whoever wrote them was killed. Files with other names
/// are left alone. Several processes may do all this at once: a file that is gone is only compiled again.
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
    std::optional<Objects> find(const std::string& key) const;
    void store(const std::string& key, const Objects& objects) const;
    /// Brings the folder within its limits, as store does now and then.
    void trim() const;

  private:
    std::string folder_;
    Limits limits_;
};

} // namespace pm::codegen
