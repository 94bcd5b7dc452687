#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace pm::runtime {

/// Some of several GPUs, by number.
class GpuSet {
  public:
    static constexpr int most = 64;
    GpuSet() = default;
    static GpuSet one(int gpu) { return GpuSet(std::uint64_t{1} << gpu); }
    bool has(int gpu) const { return (bits_ >> gpu & 1) != 0; }
    bool empty() const { return bits_ == 0; }
    /// Of a set that is not empty.
    int least() const { return std::countr_zero(bits_); }
    GpuSet with(int gpu) const { return GpuSet(bits_ | one(gpu).bits_); }
    GpuSet without(int gpu) const { return GpuSet(bits_ & ~one(gpu).bits_); }
    bool operator==(const GpuSet&) const = default;

  private:
    explicit GpuSet(std::uint64_t bits) : bits_(bits) {}
    std::uint64_t bits_ = 0;
};

/// Of an allocation of several GPUs, each of which may have a copy: which have the value that each byte was given last,
/// none when it was given none; and where it is at home, which is where it was given.
class Residency {
  public:
    explicit Residency(std::size_t bytes) : bytes_(bytes) { pieces_[0] = {}; }

    struct Piece {
        std::size_t begin;
        std::size_t end;
        GpuSet on;
        int home;
    };
    /// What lies in begin .. end, cut where it differs.
    std::vector<Piece> within(std::size_t begin, std::size_t end) const;
    /// Whether nothing has to be brought there to read it.
    bool readable(std::size_t begin, std::size_t end, int gpu) const;
    /// It is there alone from now on.
    void written(std::size_t begin, std::size_t end, int gpu) { set(begin, end, {GpuSet::one(gpu), gpu}); }
    /// What has a value is there too.
    void copied(std::size_t begin, std::size_t end, int gpu);
    /// Whether nothing is lost when that GPU has none of it any more. Without `at_home` what is at home there is not
    /// spare: were it given back, values would gather on the GPUs that read them last.
    bool spare(std::size_t begin, std::size_t end, int gpu, bool at_home = true) const;
    /// It is there no more. What was at home there is so where it still is.
    void gone(std::size_t begin, std::size_t end, int gpu);

    std::size_t bytes() const { return bytes_; }
    /// How many pieces differ from their neighbours.
    std::size_t pieces() const { return pieces_.size(); }

  private:
    struct Held {
        GpuSet on;
        int home = -1;
        bool operator==(const Held&) const = default;
    };
    using Pieces = std::map<std::size_t, Held>; ///< by where they begin
    void set(std::size_t begin, std::size_t end, Held held);
    Pieces::iterator cut(std::size_t at);
    Pieces::const_iterator at(std::size_t byte) const { return std::prev(pieces_.upper_bound(byte)); }

    std::size_t bytes_;
    Pieces pieces_;
};

} // namespace pm::runtime
