#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace pm::runtime {

/// A set of GPUs, by number.
class GpuSet {
  public:
    static constexpr int most = 64;
    GpuSet() = default;
    static GpuSet one(int gpu) { return GpuSet(std::uint64_t{1} << gpu); }
    bool has(int gpu) const { return (bits_ >> gpu & 1) != 0; }
    bool empty() const { return bits_ == 0; }
    /// The least number in the set, which must not be empty.
    int least() const { return std::countr_zero(bits_); }
    GpuSet with(int gpu) const { return GpuSet(bits_ | one(gpu).bits_); }
    GpuSet without(int gpu) const { return GpuSet(bits_ & ~one(gpu).bits_); }
    bool operator==(const GpuSet&) const = default;

  private:
    explicit GpuSet(std::uint64_t bits) : bits_(bits) {}
    std::uint64_t bits_ = 0;
};

/// For each byte of an allocation on several GPUs: the GPUs that have its current value, and its home, the GPU where
/// the value was written. Before the first write, no GPU has a value.
class Residency {
  public:
    explicit Residency(std::size_t bytes) : bytes_(bytes) { pieces_[0] = {}; }

    struct Piece {
        std::size_t begin;
        std::size_t end;
        GpuSet on;
        int home;
    };
    /// The maximal pieces of begin .. end in which all bytes have the same state.
    std::vector<Piece> within(std::size_t begin, std::size_t end) const;
    /// Whether the bytes can be read on that GPU without a transfer.
    bool readable(std::size_t begin, std::size_t end, int gpu) const;
    /// Records a write on a GPU: only that GPU then has the value.
    void written(std::size_t begin, std::size_t end, int gpu) { set(begin, end, {GpuSet::one(gpu), gpu}); }
    /// Records a copy: the GPU then has the values of these bytes too. Bytes that have no value on any GPU stay without
    /// a value.
    void copied(std::size_t begin, std::size_t end, int gpu);
    /// Whether no value is lost if GPU `gpu` drops its copy of the bytes. If `at_home` is false, the result is also
    /// false if the home of a byte is `gpu`. Otherwise values would accumulate on the GPUs that read them last.
    bool is_redundant(std::size_t begin, std::size_t end, int gpu, bool at_home = true) const;
    /// Records that GPU `gpu` has dropped its copy of the bytes. If `gpu` was the home, another GPU that still has the
    /// value becomes the home.
    void dropped(std::size_t begin, std::size_t end, int gpu);

    std::size_t bytes() const { return bytes_; }
    /// The number of maximal pieces in which all bytes have the same state.
    std::size_t pieces() const { return pieces_.size(); }

  private:
    struct Held {
        GpuSet on;
        int home = -1;
        bool operator==(const Held&) const = default;
    };
    using Pieces = std::map<std::size_t, Held>; ///< by the first byte of each piece
    void set(std::size_t begin, std::size_t end, Held held);
    Pieces::iterator cut(std::size_t at);
    Pieces::const_iterator at(std::size_t byte) const { return std::prev(pieces_.upper_bound(byte)); }

    std::size_t bytes_;
    Pieces pieces_;
};

} // namespace pm::runtime
