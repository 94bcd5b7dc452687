#pragma once
#include "compiler/plan/program.hpp"

#include <memory>

namespace pm::codegen {

/// A reducing collective as a nest step over one element after the other: all lanes' inputs are combined in lane order
/// and the result is stored to every lane. Null for collectives that only move bytes.
std::unique_ptr<plan::Step> collective_nest(const plan::Program& program, const plan::Step& step);

/// The moves of any other collective: parts of bytes from lane to lane. `from` -1 clears.
struct LaneMove {
    std::int64_t from_lane;
    std::int64_t from_offset;
    std::int64_t to_lane;
    std::int64_t to_offset;
    std::int64_t bytes;
};
std::vector<LaneMove> collective_moves(const plan::Program& program, const plan::Step& step);

/// Bytes from a lane's part of a buffer to the next lane's; 0 when all lanes share it.
std::int64_t lane_stride(const plan::Buffer& buffer);

} // namespace pm::codegen
