#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm {

/// Names that a misspelt name is compared with. A search takes time linear in the number of names and in the total
/// length of the names that are about as long as the searched one. Only the first `most` names are kept: a program with
/// more names in one scope was not written by hand.
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
        std::uint64_t bytes; ///< the set of its bytes, modulo 64
        std::string name;
    };
    std::vector<Entry> names_;
};

/// The name nearest to `name` within two edits of a byte (inserted, removed, replaced), or with the same bytes in
/// another order. Ties go to the name that shares most bytes at its beginning and end, then to the first name in the
/// order of the lists. Empty if there is none.
std::string nearest(std::string_view name, const std::vector<const NearNames*>& lists);

} // namespace pm
