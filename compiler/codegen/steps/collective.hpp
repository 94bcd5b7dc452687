#pragma once
#include "compiler/codegen/steps/buffers.hpp"
#include "compiler/plan/program/program.hpp"
#include "runtime/gpu/device/collectives.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace pm::codegen {

/// A reducing collective as a nest step over the elements of its buffers. Each iteration combines the inputs of all
/// lanes in lane order and stores the result to every lane. The elements are divided into `parts` equal parts. The nest
/// handles the first part; the other parts follow in each buffer. Null for collectives that only move bytes.
std::unique_ptr<plan::Step> collective_nest(const plan::Program& program, const plan::Step& step,
                                            std::int64_t parts = 1);

/// The request to a library that reduces between several GPUs. nullopt if kernels run the collective.
std::optional<runtime::AllReduceSpec> collective_for_library(const plan::Program& program, const plan::Step& step);

/// The moves of a collective that does not reduce. For every receiver r and sender s, `bytes` bytes are copied. The
/// source is in + s * in_by_sender + r * in_by_receiver. The destination is out + s * out_by_sender + r *
/// out_by_receiver. Offsets are relative to the first lane's part of each buffer. If there are no senders, the
/// destination is set to zero.
struct LaneMoves {
    std::int64_t receivers = 1;
    std::int64_t senders = 1;
    std::int64_t bytes = 0;
    std::int64_t in = 0;
    std::int64_t in_by_sender = 0;
    std::int64_t in_by_receiver = 0;
    std::int64_t out = 0;
    std::int64_t out_by_sender = 0;
    std::int64_t out_by_receiver = 0;
};
/// The moves of the collective `step`, with at most one LaneMoves for each lane. Empty if there are no bytes to move.
std::vector<LaneMoves> collective_moves(const plan::Program& program, const plan::Step& step);

} // namespace pm::codegen
