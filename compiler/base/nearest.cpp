#include "compiler/base/nearest.hpp"

#include "compiler/base/diagnostic.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace pm {
namespace {

constexpr std::size_t far = 2; ///< the largest number of edits to a near name

/// The number of edits from `a` to `b`, or far + 1 if more than `far` edits are needed. Takes linear time: the function
/// computes only the cells of the edit table within `far` of the diagonal (E. Ukkonen, Algorithms for approximate
/// string matching, 1985).
std::size_t edit_distance(std::string_view a, std::string_view b) {
    constexpr std::size_t width = 2 * far + 1;
    constexpr std::size_t outside = far + 1;
    if (a.size() > b.size() + far || b.size() > a.size() + far) return outside;
    // row[k] is the number of edits for the first i bytes of `a` and the first i + k - far bytes of `b`.
    std::array<std::size_t, width> row{};
    for (std::size_t k = 0; k < width; ++k) row[k] = k < far ? outside : k - far;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::array<std::size_t, width> next{};
        for (std::size_t k = 0; k < width; ++k) {
            next[k] = outside;
            if (i + k < far || i + k - far > b.size()) continue;
            const std::size_t j = i + k - far;
            if (j > 0) next[k] = std::min(next[k], row[k] + (a[i - 1] == b[j - 1] ? 0U : 1U));
            if (k > 0 && j > 0) next[k] = std::min(next[k], next[k - 1] + 1);
            if (k + 1 < width) next[k] = std::min(next[k], row[k + 1] + 1);
        }
        row = next;
        if (*std::min_element(row.begin(), row.end()) > far) return outside;
    }
    return row[b.size() + far - a.size()];
}

std::uint64_t byte_set(std::string_view text) {
    std::uint64_t set = 0;
    for (const char c : text) set |= std::uint64_t{1} << (static_cast<unsigned char>(c) % 64U);
    return set;
}

bool same_bytes(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    std::array<std::int64_t, 256> more{};
    for (const char c : a) ++more[static_cast<unsigned char>(c)];
    for (const char c : b) --more[static_cast<unsigned char>(c)];
    return std::all_of(more.begin(), more.end(), [](std::int64_t n) { return n == 0; });
}

/// True if the names differ only in capital letters.
bool same_letters(std::string_view a, std::string_view b) {
    const auto small = [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(a, b, {}, small, small);
}

/// The number of bytes that two names have in common at their beginning and at their end.
std::size_t shared_ends(std::string_view a, std::string_view b) {
    const std::size_t most = std::min(a.size(), b.size());
    std::size_t front = 0;
    while (front < most && a[front] == b[front]) ++front;
    std::size_t back = 0;
    while (front + back < most && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
    return front + back;
}

} // namespace

/// Searches lists for the nearest name.
class NearestSearch {
  public:
    explicit NearestSearch(std::string_view name) : name_(name), bytes_(byte_set(name)) {}

    void look_at(const NearNames& list) {
        for (const NearNames::Entry& e : list.names_) look_at(e.name, e.bytes);
    }
    void look_at(std::string_view candidate, std::uint64_t bytes) {
        if (best_distance_ == 0) return;
        if (same_letters(name_, candidate)) { // `adamw` for `adamW`, although `adam` is as near
            best_ = candidate;
            best_distance_ = 0;
            return;
        }
        const std::size_t most = std::min(far, best_distance_); // edits
        if (candidate.size() > name_.size() + most || name_.size() > candidate.size() + most) return;
        // An edit changes at most two elements of the set of bytes.
        if (static_cast<std::size_t>(std::popcount(bytes ^ bytes_)) > 2 * most) return;
        std::size_t distance = edit_distance(name_, candidate);
        const bool reordered = distance > 0 && bytes == bytes_ && same_bytes(name_, candidate);
        if (reordered) distance = std::min(distance, far);
        // A candidate is near in two cases only: at most half of the bytes need an edit, or the candidate has the same
        // bytes as the name. A name of one byte is near to no other name.
        const bool shares_most =
            2 * distance <= std::max(name_.size(), candidate.size()) && std::min(name_.size(), candidate.size()) > 1;
        if (distance > 0 && !shares_most && !reordered) return;
        // For `prin`, `print` is better than `pmin`.
        const bool nearer = distance < best_distance_ || (distance == best_distance_ && !best_.empty() &&
                                                          shared_ends(name_, candidate) > shared_ends(name_, best_));
        if (!nearer) return;
        best_ = candidate;
        best_distance_ = distance;
    }
    std::string best() const { return std::string(best_); }

  private:
    std::string_view name_;
    std::uint64_t bytes_;
    std::string_view best_;
    std::size_t best_distance_ = far + 1;
};

void NearNames::add(std::string name) {
    if (full()) return;
    const std::uint64_t bytes = byte_set(name);
    names_.push_back({bytes, std::move(name)});
}

bool NearNames::contains(std::string_view name) const {
    return std::any_of(names_.begin(), names_.end(), [&](const Entry& e) { return e.name == name; });
}

std::string nearest(std::string_view name, const std::vector<const NearNames*>& lists) {
    NearestSearch search(name);
    for (const NearNames* list : lists) search.look_at(*list);
    return search.best();
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
    NearestSearch search(name);
    for (const std::string& candidate : candidates) search.look_at(candidate, byte_set(candidate));
    return search.best();
}

} // namespace pm
