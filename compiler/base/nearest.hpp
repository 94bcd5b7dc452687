#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm {

/// Names with which a misspelt name is compared. The time of a search is linear in the number of names and in the total
/// length of the names that are about as long as the misspelt name. Only the first `most` names are kept: a program
/// with more names in a scope was not written by hand.
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
        std::uint64_t bytes; ///< bit number b % 64 is set if the name contains byte b
        std::string name;
    };
    std::vector<Entry> names_;
};

/// The name that is nearest to `name`: at most two edits away (a byte inserted, removed or replaced), or with the bytes
/// of `name` in a different order. Of several equally near names, the function chooses the name that shares most bytes
/// with `name` at the beginning and end. If several names share equally many bytes, the function chooses the first of
/// these names in the lists. Empty if no name is near.
std::string nearest(std::string_view name, const std::vector<const NearNames*>& lists);

} // namespace pm
