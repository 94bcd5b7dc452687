#pragma once
#include "runtime/gpu/device/device.hpp"

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace pm::runtime {

/// The PTX of NAME.ptx beside this file, part of the program, or nothing.
std::optional<std::string_view> ptx_source(std::string_view name);
/// The names of all of them.
std::span<const std::string_view> ptx_names();

/// Where element (i, j) of a matrix lies; strides are words of 32 bits.
struct Places {
    std::byte* first = nullptr;
    std::int64_t row = 0, column = 0;
};

enum class Kept : std::uint8_t { all, lower, upper, none };

/// What a matrix becomes on its way.
struct Change {
    Kept kept = Kept::all;             ///< what is not is 0
    const std::byte* failed = nullptr; ///< two words; where one of them is not 0, all that is kept becomes `fill`
    std::uint32_t fill = 0;            ///< each word of an element
};

/// Brings matrices on a device into the form in which libraries take them: transposed, complex numbers side by side,
/// one triangle. All of it is queued.
class Arranger {
  public:
    static constexpr std::uint32_t nan = 0x7FFFFFFF; ///< each word of one
    static constexpr std::int64_t kernels = 3;

    Arranger(Device& device, std::shared_ptr<const Kernels> loaded) : device_(device), loaded_(std::move(loaded)) {}

    /// Elements of one or two words.
    void move(const Places& from, const Places& to, std::int64_t rows, std::int64_t columns, int words,
              const Change& change = {}) const;
    enum class Wrong : std::uint8_t { infinite_or_nan, nan };
    /// Sets the word at `failed` where one of `count` numbers, `step` words apart, is wrong; f32 have one word, f64
    /// two.
    void look(const std::byte* from, std::int64_t count, std::int64_t step, int words, Wrong wrong,
              std::byte* failed) const;
    /// For each of `batch` matrices of n rows the permutation that exchanges row i with row exchanged[i] - 1, one after
    /// the other, i32[n], and its sign, a number of so many words.
    void permute(const std::byte* exchanged, std::byte* rows, std::byte* signs, std::int64_t batch, std::int64_t n,
                 int words) const;

  private:
    void launch(std::size_t kernel, std::int64_t blocks, std::span<const std::uint64_t> arguments) const;

    Device& device_;
    std::shared_ptr<const Kernels> loaded_;
};

} // namespace pm::runtime
