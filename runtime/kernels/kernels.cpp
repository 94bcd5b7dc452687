#include "runtime/kernels/kernels.hpp"

#include "runtime/call.hpp"
#include "runtime/kernels/sort.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>

namespace pm::runtime {
namespace {

constexpr std::int64_t align_up(std::int64_t bytes) { return (bytes + 63) & ~std::int64_t{63}; }

/// The number of groups of rows. A worker sorts one group at a time, and each group has its own scratch. The number of
/// groups depends on the shape alone. So the size of the workspace does not depend on the number of workers.
std::int64_t group_count(const SortSpec& spec) {
    if (!spec.parallel) return 1;
    const std::int64_t most =
        std::clamp<std::int64_t>((std::int64_t{1} << 20) / std::max<std::int64_t>(1, spec.n), 4, 64);
    return std::min(spec.batch, most);
}

std::size_t widest(const SortSpec& spec) {
    std::size_t width = 1;
    for (const DType d : spec.operands) width = std::max(width, size_of(d));
    return width;
}

/// Scratch of one group: the scratch of stable_order(), the order of a row, and a copy of a row. The copy is needed
/// because an output may share the memory of an input. The copy has room for a row of the widest operand.
struct RowScratch {
    std::byte* sorter;
    std::byte* order;
    std::byte* row;
};

std::int64_t sorter_bytes(const SortSpec& spec) {
    return order_scratch_bytes(spec.n, std::span(spec.operands).first(static_cast<std::size_t>(spec.keys)));
}

std::int64_t row_scratch_bytes(const SortSpec& spec) {
    return align_up(sorter_bytes(spec)) + align_up(spec.n * static_cast<std::int64_t>(order_index_bytes(spec.n))) +
           align_up(spec.n * static_cast<std::int64_t>(widest(spec)));
}

RowScratch row_scratch(const SortSpec& spec, std::byte* begin) {
    std::byte* order = begin + align_up(sorter_bytes(spec));
    return {begin, order, order + align_up(spec.n * static_cast<std::int64_t>(order_index_bytes(spec.n)))};
}

template <class Element, class Index>
bool take(std::byte* target, const std::byte* source, const std::byte* order, std::int64_t n, PmCall* call) {
    auto* to = reinterpret_cast<Element*>(target);
    const auto* from = reinterpret_cast<const Element*>(source);
    const auto* index = reinterpret_cast<const Index*>(order);
    return in_pieces(call, 0, n, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) to[i] = from[index[i]];
    });
}

struct Pair {
    std::uint64_t first, second;
};

template <class Index>
bool take_width(std::size_t width, std::byte* target, const std::byte* source, const std::byte* order, std::int64_t n,
                PmCall* call) {
    switch (width) {
    case 1: return take<std::uint8_t, Index>(target, source, order, n, call);
    case 2: return take<std::uint16_t, Index>(target, source, order, n, call);
    case 4: return take<std::uint32_t, Index>(target, source, order, n, call);
    case 8: return take<std::uint64_t, Index>(target, source, order, n, call);
    default: return take<Pair, Index>(target, source, order, n, call);
    }
}

/// Sorts one row of every operand.
bool sort_row(const SortSpec& spec, void* const* buffers, std::int64_t row, std::byte* scratch, Workers* workers,
              PmCall* call) {
    const RowScratch space = row_scratch(spec, scratch);
    std::vector<SortKey> keys;
    const auto at = [&](std::size_t operand, std::size_t shift) {
        const auto bytes = static_cast<std::int64_t>(size_of(spec.operands[operand]));
        return static_cast<std::byte*>(buffers[operand + shift]) + row * spec.n * bytes;
    };
    for (int k = 0; k < spec.keys; ++k)
        keys.push_back({spec.operands[static_cast<std::size_t>(k)], at(static_cast<std::size_t>(k), 0)});
    if (!stable_order({keys, spec.n, spec.descending}, space.order, space.sorter, workers, call)) return false;
    const bool narrow = order_index_bytes(spec.n) == 4;
    for (std::size_t operand = 0; operand < spec.operands.size(); ++operand) {
        const std::size_t width = size_of(spec.operands[operand]);
        const std::byte* source = at(operand, 0);
        std::byte* target = at(operand, spec.operands.size());
        const bool in_place = source == target;
        std::byte* to = in_place ? space.row : target;
        const bool taken = narrow ? take_width<std::uint32_t>(width, to, source, space.order, spec.n, call)
                                  : take_width<std::uint64_t>(width, to, source, space.order, spec.n, call);
        if (!taken) return false;
        if (in_place) std::memcpy(target, to, static_cast<std::size_t>(spec.n) * width);
    }
    return true;
}

bool sort_all(PmCall* call, const SortSpec& spec, void* const* buffers, std::byte* workspace) {
    Workers* workers = CallState::of(call).options().workers;
    const std::int64_t scratch = row_scratch_bytes(spec);
    const std::int64_t groups = group_count(spec);
    if (groups == 1 || workers == nullptr || workers->count() == 1) {
        for (std::int64_t row = 0; row < spec.batch; ++row)
            if (!sort_row(spec, buffers, row, workspace, workers, call)) return false;
        return true;
    }
    std::atomic<bool> done{true};
    workers->each(
        groups,
        [&](std::int64_t group) {
            const std::int64_t begin = spec.batch * group / groups;
            const std::int64_t end = spec.batch * (group + 1) / groups;
            bool whole = true;
            try {
                for (std::int64_t row = begin; row < end && whole; ++row)
                    whole = sort_row(spec, buffers, row, workspace + group * scratch, nullptr, call);
            } catch (...) { // out of memory; no exception may leave a worker
                CallState::of(call).abandon_call(call, stop_thrown, std::current_exception());
                whole = false;
            }
            if (!whole) done.store(false, std::memory_order_relaxed);
        },
        call);
    return done.load(std::memory_order_relaxed) && (read_stop(call) & abandon) == 0;
}

} // namespace

std::vector<std::int64_t> sort_attributes(const SortSpec& spec) {
    std::vector<std::int64_t> attributes{spec.batch,
                                         spec.n,
                                         static_cast<std::int64_t>(spec.operands.size()),
                                         spec.keys,
                                         spec.descending ? 1 : 0,
                                         spec.parallel ? 1 : 0};
    for (const DType d : spec.operands) attributes.push_back(static_cast<std::int64_t>(d));
    return attributes;
}

SortSpec sort_spec(const std::int64_t* attributes) {
    SortSpec spec;
    spec.batch = attributes[0];
    spec.n = attributes[1];
    spec.keys = static_cast<int>(attributes[3]);
    spec.descending = attributes[4] != 0;
    spec.parallel = attributes[5] != 0;
    for (std::int64_t i = 0; i < attributes[2]; ++i) spec.operands.push_back(static_cast<DType>(attributes[6 + i]));
    return spec;
}

std::int64_t sort_workspace_bytes(const SortSpec& spec) {
    return std::max<std::int64_t>(64, row_scratch_bytes(spec) * std::max<std::int64_t>(1, group_count(spec)));
}

} // namespace pm::runtime

extern "C" int32_t pm_kernel_sort(PmCall* call, void* const* buffers, const int64_t* attributes, void* workspace) {
    using namespace pm::runtime;
    try {
        const SortSpec spec = sort_spec(attributes);
        if (spec.batch == 0 || spec.n == 0) return 0;
        return sort_all(call, spec, buffers, static_cast<std::byte*>(workspace)) ? 0 : 1;
    } catch (...) {
        CallState::of(call).abandon_call(call, stop_thrown, std::current_exception());
        return 1;
    }
}
