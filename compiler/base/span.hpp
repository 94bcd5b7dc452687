#pragma once
#include <algorithm>
#include <cstdint>

namespace pm {

/// A half-open range of bytes in one source file. `source` is the number of a file in a SourceMap; 0 means that the
/// span has no source.
struct Span {
    std::uint32_t source = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    explicit operator bool() const { return source != 0; }
    bool operator==(const Span&) const = default;
};

/// Whether `inner` lies in `outer`, in the same source.
inline bool contains(Span outer, Span inner) {
    return outer.source == inner.source && outer.begin <= inner.begin && inner.end <= outer.end;
}

/// The smallest span that contains both spans. If their sources differ, returns `b`, or `a` if `b` has no source.
inline Span join(Span a, Span b) {
    if (!a || a.source != b.source) return b ? b : a;
    return {a.source, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

} // namespace pm
