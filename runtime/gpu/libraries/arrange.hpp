#pragma once
#include "runtime/gpu/device/device.hpp"

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace pm::runtime {

/// The content of the file `name`.ptx of this folder, which is embedded in the library. Returns nullopt if there is no
/// such file.
std::optional<std::string_view> ptx_source(std::string_view name);
/// The names of all embedded files.
std::span<const std::string_view> ptx_names();

/// The addresses of the elements of a matrix. Element (i, j) is i * row + j * column words of 32 bits after `first`.
struct Places {
    std::byte* first = nullptr;
    std::int64_t row = 0, column = 0;
};

enum class Kept : std::uint8_t { all, lower, upper, none };

/// A change of the elements of a matrix when the matrix is moved.
struct Change {
    Kept kept = Kept::all; ///< the elements that keep their value; the other elements become 0
    /// The address of two words, or null. If one of the words is not 0, the kept elements are replaced by `fill`.
    const std::byte* failed = nullptr;
    std::uint32_t fill = 0; ///< the value of each 32-bit word of a replaced element
};

/// Converts matrices on a device to the layout of libraries and back: transposes matrices, interleaves the parts of
/// complex numbers, extracts a triangle. All work is queued.
class Arranger {
  public:
    static constexpr std::uint32_t nan = 0x7FFFFFFF; ///< in f32 and in f64, each 32-bit word of a NaN
    static constexpr std::int64_t kernels = 3;

    Arranger(Device& device, std::shared_ptr<const Kernels> loaded) : device_(device), loaded_(std::move(loaded)) {}

    /// Moves a matrix with elements of one or two words.
    void move(const Places& from, const Places& to, std::int64_t rows, std::int64_t columns, int words,
              const Change& change = {}) const;
    enum class Wrong : std::uint8_t { infinite_or_nan, nan };
    /// Checks `count` numbers, which are `step` words apart. `wrong` says which numbers are wrong: NaNs, or also
    /// infinite numbers. If a number is wrong, sets the word at `failed` to 1. `words` is 1 for f32 and 2 for f64.
    void flag_if_wrong(const std::byte* from, std::int64_t count, std::int64_t step, int words, Wrong wrong,
                       std::byte* failed) const;
    /// For each of `batch` matrices of n rows, computes the permutation i32[n] that results from n exchanges. Exchange
    /// i exchanges row i with row exchanged[i] - 1. Also computes the sign of the permutation, a number of `words`
    /// words.
    void permute(const std::byte* exchanged, std::byte* rows, std::byte* signs, std::int64_t batch, std::int64_t n,
                 int words) const;

  private:
    void launch(std::size_t kernel, std::int64_t blocks, std::span<const std::uint64_t> arguments) const;

    Device& device_;
    std::shared_ptr<const Kernels> loaded_;
};

} // namespace pm::runtime
