#include "compiler/codegen/gpu/threaded_nest.hpp"

#include <algorithm>
#include <bit>

namespace pm::codegen {
namespace {

using nest::Stage;

/// The number of threads of a thread block for a long reduction.
constexpr std::int64_t most_in_team = 512;

} // namespace

NestShape shape_kernel(const plan::Program& program, const plan::Step& step) {
    std::vector<char> aligned;
    for (const plan::BufferId b : step.buffers)
        aligned.push_back(alignment_of(program.buffers[b]) == widest_access ? 1 : 0);
    return shape_threads(*step.nest, std::move(aligned));
}

Mapping map_threads(const NestShape& shape, int threads) {
    std::int64_t team = 1;
    for (const Stage& s : shape.nest.stages) {
        if (!is_spread(shape.nest, s)) continue;
        const std::int64_t width = accumulators_of(s);
        team = std::max(team, std::min(most_in_team, width * blocks_of(s)));
    }
    const bool half_warps = team == 16;
    if (team > 1 && !half_warps) team = (team + 63) / 64 * 64;
    if (threads == 0)
        threads = static_cast<int>(team == 1 ? 256 : half_warps ? 128 : team);
    else if (team > 64) // a power of two, so a thread block of `threads` threads has whole teams
        team =
            std::min<std::int64_t>(threads, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(team))));
    const std::int64_t points = shape.empty() ? 0 : nest::product(shape.nest.grid) / shape.lanes;
    return map_points(points, static_cast<int>(team), threads);
}

} // namespace pm::codegen
