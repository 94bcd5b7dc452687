#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pm::codegen {

/// The objects of one program, as files of machine code.
using Objects = std::vector<std::string>;

/// Objects kept in a folder between runs, one file per program. Files appear whole (written aside, then renamed), carry
/// a checksum, and are ignored when anything about them is wrong; a folder that cannot be written is no error.
class ObjectCache {
  public:
    explicit ObjectCache(std::string folder) : folder_(std::move(folder)) {}

    /// The name under which code for `text` made by a compiler described by `maker` is kept.
    static std::string key(std::string_view text, std::string_view maker);
    std::optional<Objects> find(const std::string& key) const;
    void store(const std::string& key, const Objects& objects) const;

  private:
    std::string folder_;
};

} // namespace pm::codegen
