#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm {

/// Names with which a misspelt name is compared. A search takes time linear in the number of names and in the total
/// length of the names that are about as long as the misspelt one. Only the first `most` names are kept: a program with
/// more names in a scope was not written by hand.
class NearNames {
  public:
    static constexpr std::size_t most = 4096;

    NearNames() = default;
    explicit NearNames(const std::vector<std::string>& names) {
        for (const std::string& name : names) add(name);
    }
    void add(std::string name);
    bool full() const { return names_.size() >= most; }
    bool contains(std::string_view name) const;

  private:
    friend class NearestSearch;
    struct Entry {
        std::uint64_t bytes; ///< the set of the name's bytes, modulo 64
        std::string name;
    };
    std::vector<Entry> names_;
};

/// The name that is nearest to `name`: at most two edits away (a byte inserted, removed or replaced), or with the bytes
/// of `name` in a different order. Among equally near names, the one that shares most bytes with `name` at the
/// beginning and end, then the first in the lists. Empty if no name is near.
std::string nearest(std::string_view name, const std::vector<const NearNames*>& lists);

} // namespace pm
