#include "runtime/gpu/libraries/arrange.hpp"

#include <algorithm>

namespace pm::runtime {
namespace {

constexpr int threads = 256;
constexpr std::int64_t tile = 16;
constexpr std::size_t most_arguments = 12;

std::uint64_t number(const std::byte* address) { return reinterpret_cast<std::uintptr_t>(address); }
std::uint64_t number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

} // namespace

void Arranger::launch(std::size_t kernel, std::int64_t blocks, std::span<const std::uint64_t> arguments) const {
    std::array<void*, most_arguments> words{};
    std::ranges::transform(arguments, words.begin(), [](std::uint64_t a) { return reinterpret_cast<void*>(a); });
    device_.launch({.kernel = loaded_->handles()[kernel],
                    .blocks = blocks,
                    .threads = threads,
                    .buffers = {words.data(), arguments.size()}});
}

void Arranger::move(const Places& from, const Places& to, std::int64_t rows, std::int64_t columns, int words,
                    const Change& change) const {
    const std::int64_t blocks = ((rows + tile - 1) / tile) * ((columns + tile - 1) / tile);
    if (blocks == 0) return;
    launch(0, blocks,
           std::array{number(from.first), number(to.first), number(rows), number(columns), number(from.row),
                      number(from.column), number(to.row), number(to.column), number(std::int64_t{words}),
                      static_cast<std::uint64_t>(change.kept), number(change.failed), std::uint64_t{change.fill}});
}

void Arranger::flag_if_wrong(const std::byte* from, std::int64_t count, std::int64_t step, int words, Wrong wrong,
                             std::byte* failed) const {
    // If there are more numbers than threads in these blocks, a thread checks several numbers.
    constexpr std::int64_t most_blocks = 1024;
    launch(1, std::clamp<std::int64_t>((count + threads - 1) / threads, 1, most_blocks),
           std::array{number(from), number(count), number(step), number(std::int64_t{words}),
                      std::uint64_t{wrong == Wrong::nan}, number(failed)});
}

void Arranger::permute(const std::byte* exchanged, std::byte* rows, std::byte* signs, std::int64_t batch,
                       std::int64_t n, int words) const {
    if (batch == 0) return;
    launch(2, batch,
           std::array{number(exchanged), number(rows), number(signs), number(n), number(std::int64_t{words})});
}

} // namespace pm::runtime
