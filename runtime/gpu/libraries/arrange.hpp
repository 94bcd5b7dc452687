#pragma once
#include "runtime/gpu/device/device.hpp"

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace pm::runtime {

/// The PTX of NAME.ptx in this folder, embedded in the program. nullopt if there is none.
std::optional<std::string_view> ptx_source(std::string_view name);
/// The names of all embedded files.
std::span<const std::string_view> ptx_names();

/// The address of element (i, j) of a matrix: an address and strides in 32-bit words.
struct Places {
    std::byte* first = nullptr;
    std::int64_t row = 0, column = 0;
};

enum class Kept : std::uint8_t { all, lower, upper, none };

/// A change that a matrix undergoes when it is moved.
struct Change {
    Kept kept = Kept::all;             ///< the other elements become 0
    const std::byte* failed = nullptr; ///< two words; if one of them is not 0, all kept elements become `fill`
    std::uint32_t fill = 0;            ///< the value of each 32-bit word of a replaced element
};

/// Converts matrices on a device to the layout of libraries and back: transposes matrices, interleaves the parts of
/// complex numbers, extracts a triangle. All work is queued.
class Arranger {
  public:
    static constexpr std::uint32_t nan = 0x7FFFFFFF; ///< each 32-bit word of the NaN, in f32 and in f64
    static constexpr std::int64_t kernels = 3;

    Arranger(Device& device, std::shared_ptr<const Kernels> loaded) : device_(device), loaded_(std::move(loaded)) {}

    /// Moves a matrix with elements of one or two words.
    void move(const Places& from, const Places& to, std::int64_t rows, std::int64_t columns, int words,
              const Change& change = {}) const;
    enum class Wrong : std::uint8_t { infinite_or_nan, nan };
    /// Sets the word at `failed` to 1 if one of `count` numbers, `step` words apart, is not finite or is a NaN, as
    /// `wrong` says. `words`: 1 for f32, 2 for f64.
    void flag_if_wrong(const std::byte* from, std::int64_t count, std::int64_t step, int words, Wrong wrong,
                       std::byte* failed) const;
    /// Computes for each of `batch` matrices of n rows the permutation i32[n] that exchanges row i with row
    /// exchanged[i] - 1, for each i in order. Also computes the sign of the permutation, a number of `words` words.
    void permute(const std::byte* exchanged, std::byte* rows, std::byte* signs, std::int64_t batch, std::int64_t n,
                 int words) const;

  private:
    void launch(std::size_t kernel, std::int64_t blocks, std::span<const std::uint64_t> arguments) const;

    Device& device_;
    std::shared_ptr<const Kernels> loaded_;
};

} // namespace pm::runtime
