#include "compiler/evaluate/machine.hpp"

#include "compiler/base/diagnostic.hpp"

#include <numeric>

// The operations with regions; see compiler/ir/control.def. Lanes that take different branches run separately, and
// their results are then merged.

namespace pm::evaluate {

using ir::Attr;
using ir::Inst;
using ir::Integers;

namespace {

using Picks = std::vector<std::size_t>;

std::vector<Column> pick(const std::vector<Column>& columns, const Picks& picks, std::size_t first = 0) {
    std::vector<Column> some;
    for (std::size_t i = first; i < columns.size(); ++i) {
        Column column;
        for (std::size_t l : picks) column.push_back(columns[i][l]);
        some.push_back(std::move(column));
    }
    return some;
}
Lanes pick(const Lanes& lanes, const Picks& picks) {
    Lanes some;
    for (std::size_t l : picks) some.push_back(lanes[l]);
    return some;
}
void put(std::vector<Column>& into, std::size_t first, const std::vector<Column>& columns, const Picks& picks) {
    for (std::size_t i = 0; i < columns.size(); ++i)
        for (std::size_t p = 0; p < picks.size(); ++p) into[first + i][picks[p]] = columns[i][p];
}

std::size_t count(const Inst& inst, Attr attr) { return static_cast<std::size_t>(inst.attrs.integer(attr)); }

} // namespace

std::vector<Column> Machine::if_(const Inst& inst, const std::vector<Column>& operands, const Lanes& lanes) {
    std::vector<Column> results(inst.results.size(), Column(lanes.size()));
    for (const bool side : {true, false}) {
        Picks picks;
        for (std::size_t l = 0; l < lanes.size(); ++l)
            if (operands[0][l].as_bool() == side) picks.push_back(l);
        if (picks.empty()) continue;
        put(results, 0, run(*inst.regions[side ? 0 : 1], pick(operands, picks, 1), pick(lanes, picks)), picks);
    }
    return results;
}

std::vector<Column> Machine::while_(const Inst& inst, const std::vector<Column>& operands, const Lanes& lanes) {
    const std::size_t whole = count(inst, Attr::whole);
    std::vector<Column> values = operands;
    Picks going(lanes.size());
    std::iota(going.begin(), going.end(), std::size_t{0});
    while (true) {
        poll(inst);
        const Column goes_on = run(*inst.regions[0], pick(values, going), pick(lanes, going)).at(0);
        Picks next;
        for (std::size_t i = 0; i < going.size(); ++i)
            if (goes_on[i].as_bool()) next.push_back(going[i]);
        going = std::move(next);
        if (going.empty()) break;
        put(values, whole, run(*inst.regions[1], pick(values, going), pick(lanes, going)), going);
    }
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(whole));
    return values;
}

/// Runs one iteration of a scan. If a check fails, its error gets the index of the iteration.
std::vector<Column> Machine::iteration_of(const Inst& scan, std::int64_t index, std::vector<Column> arguments,
                                          const Lanes& lanes) {
    try {
        return run(*scan.regions[0], std::move(arguments), lanes);
    } catch (Error& e) {
        e.diagnostic().iterations.push_back({scan.place.span, index});
        throw;
    }
}

std::vector<Column> Machine::scan(const ir::Block& block, const Inst& inst, const std::vector<Column>& operands,
                                  const Lanes& lanes) {
    const std::size_t whole = count(inst, Attr::whole);
    const std::size_t carried = count(inst, Attr::carried);
    const std::int64_t length = inst.attrs.integer(Attr::length);
    const bool reverse = inst.attrs.integer(Attr::reverse, 0) != 0;

    std::vector<Column> state(operands.begin() + static_cast<std::ptrdiff_t>(whole),
                              operands.begin() + static_cast<std::ptrdiff_t>(whole + carried));
    std::vector<std::vector<std::vector<Array>>> outputs( // indices: output, lane, iteration
        inst.results.size() - carried,
        std::vector<std::vector<Array>>(lanes.size(), std::vector<Array>(static_cast<std::size_t>(length))));
    for (std::int64_t iteration = 0; iteration < length; ++iteration) {
        poll(inst);
        const std::int64_t i = reverse ? length - 1 - iteration : iteration;
        std::vector<Column> arguments{Column(lanes.size(), Array::scalar(ir::DType::i32, i, options_.allocator))};
        arguments.insert(arguments.end(), operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(whole));
        for (Column& column : state) arguments.push_back(std::move(column));
        for (std::size_t s = whole + carried; s < operands.size(); ++s) {
            Column slices;
            for (const Array& x : operands[s]) slices.push_back(x.at(i));
            arguments.push_back(std::move(slices));
        }
        std::vector<Column> results = iteration_of(inst, i, std::move(arguments), lanes);
        for (std::size_t c = 0; c < carried; ++c) state[c] = std::move(results[c]);
        for (std::size_t o = 0; o < outputs.size(); ++o)
            for (std::size_t l = 0; l < lanes.size(); ++l)
                outputs[o][l][static_cast<std::size_t>(i)] = std::move(results[carried + o][l]);
    }
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        const ir::Type& type = block.type(inst.results[carried + o]);
        Column column;
        for (const std::vector<Array>& iterations : outputs[o])
            column.push_back(length == 0 ? Array::empty(type.dtype, type.shape, options_.allocator)
                                         : stack(iterations, 0, options_.allocator));
        state.push_back(std::move(column));
    }
    return state;
}

std::vector<Column> Machine::pmap(const Inst& inst, const std::vector<Column>& operands, const Lanes& lanes) {
    const std::int64_t size = inst.attrs.integer(Attr::axis_size);
    const bool tiled = inst.attrs.integer(Attr::tiled, 0) != 0;
    const Integers& in_axes = inst.attrs.integers(Attr::in_axes);
    const Integers& out_axes = inst.attrs.integers(Attr::out_axes);

    // All slices of a pmap inside another pmap run on one device. Slices are assigned to lanes as in
    // plan/prepare/spmd.cpp.
    const Integers named = inst.attrs.has(Attr::devices) ? inst.attrs.integers(Attr::devices) : Integers{};
    const std::int64_t devices = !named.empty()         ? static_cast<std::int64_t>(named.size())
                                 : options_.devices > 0 ? options_.devices
                                                        : size;
    const std::int64_t local = (size + devices - 1) / devices;
    Lanes inner;
    for (const Lane& lane : lanes) {
        for (std::int64_t i = 0; i < size; ++i) {
            Lane one = lane;
            one.at.emplace_back(inst.attrs.integer(Attr::axis_id), i);
            if (lane.at.empty()) {
                one.iteration = i / local;
                one.device = named.empty() ? one.iteration : named[static_cast<std::size_t>(one.iteration)];
            }
            inner.push_back(std::move(one));
        }
    }
    std::vector<Column> arguments;
    for (std::size_t a = 0; a < operands.size(); ++a) {
        Column column;
        for (const Array& x : operands[a]) {
            for (std::int64_t i = 0; i < size; ++i) {
                if (in_axes[a] < 0) {
                    column.push_back(x);
                    continue;
                }
                const auto axis = static_cast<std::size_t>(in_axes[a]);
                const std::int64_t block = x.shape()[axis] / size;
                column.push_back(tiled ? part(x, axis, i * block, (i + 1) * block, options_.allocator)
                                       : item(x, axis, i, options_.allocator));
            }
        }
        arguments.push_back(std::move(column));
    }
    const std::vector<Column> made = run(*inst.regions[0], std::move(arguments), inner);
    std::vector<Column> results;
    for (std::size_t r = 0; r < made.size(); ++r) {
        Column column;
        for (std::size_t l = 0; l < lanes.size(); ++l) {
            const auto first = made[r].begin() + static_cast<std::ptrdiff_t>(l) * size;
            if (out_axes[r] < 0) {
                column.push_back(*first);
                continue;
            }
            const auto axis = static_cast<std::size_t>(out_axes[r]);
            const std::vector<Array> values(first, first + size);
            column.push_back(tiled ? join(values, axis, options_.allocator) : stack(values, axis, options_.allocator));
        }
        results.push_back(std::move(column));
    }
    if (lanes.size() == 1 && lanes[0].at.empty()) flush();
    return results;
}

} // namespace pm::evaluate
