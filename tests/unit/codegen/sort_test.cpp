#include "tests/unit/codegen/harness.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>
#include <random>

using namespace pm;
using namespace pm::codegen::test;

namespace {

struct Sort {
    std::int64_t rows;
    std::int64_t n;
    std::vector<DType> operands;
    std::size_t keys = 1;
    bool in_place = false;
};

plan::Program program_of(const Sort& s) {
    plan::Program program;
    program.name = "sort";
    plan::Step step{plan::SortStep{.rows = s.rows,
                                   .n = s.n,
                                   .arrays = static_cast<std::int64_t>(s.operands.size()),
                                   .keys = static_cast<std::int64_t>(s.keys)}};
    const auto buffer = [&](DType dtype, plan::Space space, std::vector<plan::BufferId>& list) {
        plan::Buffer made;
        made.dtype = dtype;
        made.shape = {s.rows, s.n};
        made.space = space;
        made.index = static_cast<std::uint32_t>(list.size());
        program.buffers.push_back(made);
        return list.emplace_back(static_cast<plan::BufferId>(program.buffers.size() - 1));
    };
    std::vector<plan::BufferId> in, out;
    for (const DType d : s.operands) in.push_back(buffer(d, plan::Space::argument, program.arguments));
    for (const DType d : s.operands) out.push_back(buffer(d, plan::Space::result, program.results));
    for (std::size_t i = 0; s.in_place && i < in.size(); ++i) {
        program.steps.push_back({plan::CopyStep{}, {in[i], out[i]}});
        in[i] = out[i];
    }
    step.buffers = in;
    step.buffers.insert(step.buffers.end(), out.begin(), out.end());
    program.steps.push_back(step);
    program.forwarded.assign(program.results.size(), -1);
    return program;
}

/// Edge values of an order. For floats they are zeros, infinities, NaNs and the least numbers, of both signs. For
/// integers the same bits are arbitrary values.
std::vector<std::uint64_t> edges(DType dtype) {
    const auto with_sign = [](std::vector<std::uint64_t> bits, std::uint64_t sign) {
        for (std::size_t i = bits.size(); i-- > 0;) bits.push_back(bits[i] | sign);
        return bits;
    };
    switch (dtype) {
    case DType::b1: return {0, 1};
    case DType::i8:
    case DType::u8: return {0, 1, 2, 0x7F, 0x80, 0xFF};
    case DType::f16: return with_sign({0, 1, 0x3C00, 0x7BFF, 0x7C00, 0x7C01, 0x7E00}, 0x8000);
    case DType::bf16: return with_sign({0, 1, 0x3F80, 0x7F7F, 0x7F80, 0x7F81, 0x7FC0}, 0x8000);
    case DType::i16:
    case DType::u16: return with_sign({0, 1, 0x100, 0x7FFF}, 0x8000);
    case DType::f32:
    case DType::i32:
    case DType::u32: return with_sign({0, 1, 0x3F800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000}, 0x80000000);
    default:
        return with_sign({0, 1, 0x3FF0000000000000, 0x3FF0000000000001, 0x7FF0000000000000, 0x7FF0000000000001},
                         0x8000000000000000);
    }
}

/// A random array whose elements are edge values with probability 1/2, so that many are equal.
Array mixed(DType dtype, const Shape& shape, unsigned seed) {
    Array made = Array::zeros(dtype, shape);
    std::mt19937_64 engine(seed);
    const std::vector<std::uint64_t> pool = edges(dtype);
    const std::size_t width = runtime::size_of(dtype);
    for (std::int64_t i = 0; i < made.elements(); ++i) {
        const std::uint64_t random = engine();
        const std::uint64_t bits =
            dtype == DType::b1 || (random & 1) != 0 ? pool[(random >> 1) % pool.size()] : engine();
        std::memcpy(static_cast<std::byte*>(made.mutable_data()) + static_cast<std::size_t>(i) * width, &bits, width);
    }
    return made;
}

void agrees_with_processor(const Sort& s) {
    const plan::Program program = program_of(s);
    std::vector<Array> arguments;
    std::string name = fmt::format("{} x {}, {} keys, {} in place:", s.rows, s.n, s.keys, s.in_place ? "" : "not");
    for (const DType d : s.operands) {
        arguments.push_back(mixed(d, {s.rows, s.n}, static_cast<unsigned>(arguments.size() + 1)));
        name += fmt::format(" {}", runtime::name(d));
    }
    CAPTURE(name);
    const Outcome expected = run(program, arguments);
    REQUIRE(expected.call);
    const Outcome found = run_code(program, *gpu().compile(program), arguments, 1);
    REQUIRE(found.call);
    for (std::size_t i = 0; i < s.operands.size(); ++i) {
        const Array& want = expected.results[i];
        const auto bytes = static_cast<std::size_t>(want.elements()) * runtime::size_of(s.operands[i]);
        CHECK(std::memcmp(want.data(), found.results[i].data(), bytes) == 0);
    }
}

constexpr DType types[] = {DType::b1,  DType::i8,  DType::i16, DType::i32, DType::i64,  DType::u8,  DType::u16,
                           DType::u32, DType::u64, DType::f16, DType::f32, DType::bf16, DType::f64, DType::key};

} // namespace

TEST_CASE("a GPU sorts as the processor does: keys of all types") {
    for (const DType d : types)
        for (const std::int64_t n : {300, 2500}) agrees_with_processor({2, n, {d, DType::i32}});
}

TEST_CASE("a GPU sorts as the processor does: rows of different lengths") {
    for (const std::int64_t n : {1, 2, 3, 5, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 2048, 2049, 5000})
        agrees_with_processor({3, n, {DType::f32, DType::i32}});
    agrees_with_processor({1000, 7, {DType::f16, DType::i32}});
    agrees_with_processor({300, 1, {DType::f16, DType::i32}});
    agrees_with_processor({8195, 129, {DType::u8, DType::i32}}); // the number of rows exceeds the number of blocks
}

TEST_CASE("a GPU sorts as the processor does: several keys, payloads, sorting in place") {
    for (const bool in_place : {false, true})
        for (const std::int64_t n : {40, 1024, 1500, 5000}) {
            agrees_with_processor({2, n, {DType::bf16}, 1, in_place});
            agrees_with_processor({2, n, {DType::b1, DType::f64, DType::u8}, 1, in_place});
            agrees_with_processor({2, n, {DType::f16, DType::i64, DType::bf16, DType::b1, DType::f32}, 2, in_place});
            agrees_with_processor({1, n, {DType::b1, DType::f64, DType::i8, DType::key, DType::i32}, 4, in_place});
        }
    // The largest number of keys that the kernel sorts by, and one more.
    for (const std::size_t keys : {32, 33})
        for (const std::int64_t n : {5, 200}) {
            std::vector<DType> operands(keys, DType::b1);
            operands.push_back(DType::i32);
            agrees_with_processor({2, n, operands, keys});
        }
}
