#include "runtime/gpu/multi_gpu/residency.hpp"

#include <algorithm>

namespace pm::runtime {

std::vector<Residency::Piece> Residency::within(std::size_t begin, std::size_t end) const {
    std::vector<Piece> list;
    if (begin >= end) return list;
    for (auto piece = at(begin); piece != pieces_.end() && piece->first < end; ++piece) {
        const auto next = std::next(piece);
        const std::size_t last = next == pieces_.end() ? bytes_ : next->first;
        list.push_back({std::max(begin, piece->first), std::min(end, last), piece->second.on, piece->second.home});
    }
    return list;
}

bool Residency::readable(std::size_t begin, std::size_t end, int gpu) const {
    if (begin >= end) return true;
    for (auto piece = at(begin); piece != pieces_.end() && piece->first < end; ++piece)
        if (!piece->second.on.empty() && !piece->second.on.has(gpu)) return false;
    return true;
}

void Residency::copied(std::size_t begin, std::size_t end, int gpu) {
    for (const Piece& piece : within(begin, end))
        if (!piece.on.empty()) set(piece.begin, piece.end, {piece.on.with(gpu), piece.home});
}

bool Residency::is_redundant(std::size_t begin, std::size_t end, int gpu, bool at_home) const {
    if (begin >= end) return true;
    for (auto piece = at(begin); piece != pieces_.end() && piece->first < end; ++piece)
        if (piece->second.on == GpuSet::one(gpu) || (!at_home && piece->second.home == gpu)) return false;
    return true;
}

void Residency::dropped(std::size_t begin, std::size_t end, int gpu) {
    for (const Piece& piece : within(begin, end))
        if (piece.on.has(gpu)) {
            const GpuSet remaining = piece.on.without(gpu);
            const bool moves = piece.home == gpu && !remaining.empty();
            set(piece.begin, piece.end, {remaining, moves ? remaining.least() : piece.home});
        }
}

/// Divides the piece that contains the byte, so that a piece begins at this byte. Returns the piece that begins there,
/// or end() if the byte is after the last byte.
Residency::Pieces::iterator Residency::cut(std::size_t byte) {
    if (byte >= bytes_) return pieces_.end();
    const auto after = pieces_.upper_bound(byte);
    const auto piece = std::prev(after);
    return piece->first == byte ? piece : pieces_.emplace_hint(after, byte, piece->second);
}

void Residency::set(std::size_t begin, std::size_t end, Held held) {
    if (begin >= end) return;
    const auto last = cut(end);
    auto piece = cut(begin);
    pieces_.erase(std::next(piece), last);
    piece->second = held;
    if (last != pieces_.end() && last->second == held) pieces_.erase(last);
    if (piece != pieces_.begin() && std::prev(piece)->second == held) pieces_.erase(piece);
}

} // namespace pm::runtime
