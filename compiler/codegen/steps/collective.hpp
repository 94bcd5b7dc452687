#pragma once
#include "compiler/codegen/steps/buffers.hpp"
#include "compiler/plan/program/program.hpp"
#include "runtime/gpu/device/collectives.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace pm::codegen {

/// A reducing collective as a nest step over one element after the other: all lanes' inputs are combined in lane order
/// and the result is stored to every lane. Null for collectives that only move bytes. Of `parts` equal parts of the
/// elements it does the first; the others stand behind it in each buffer.
std::unique_ptr<plan::Step> collective_nest(const plan::Program& program, const plan::Step& step,
                                            std::int64_t parts = 1);

/// What a library between several GPUs is asked for before they do a reducing collective by kernels; none where these
/// are to do it.
std::optional<runtime::AllReduceSpec> collective_for_library(const plan::Program& program, const plan::Step& step);

/// Moves of any other collective: for every receiver r and sender s, `bytes` bytes from
/// in + s * in_by_sender + r * in_by_receiver to out + s * out_by_sender + r * out_by_receiver, counted from the first
/// lane's part of each buffer. No sender: cleared.
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
/// As many as there are lanes at most, those without bytes left out.
std::vector<LaneMoves> collective_moves(const plan::Program& program, const plan::Step& step);

} // namespace pm::codegen
