#pragma once
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/nest/fold.hpp"
#include "compiler/nest/nest.hpp"

#include <cstdint>
#include <vector>

namespace pm::codegen {

/// How a nest runs: the loop that vectors lie along, and the loop in which each value is computed. The loops of a stage
/// are numbered as in nest::Affine: the grid's, then its own.
struct NestShape {
    /// The nest without loops of one iteration, and with loops merged that access memory as one loop.
    nest::Nest nest;
    int lanes = 1; ///< elements of a vector; 1: no vectors
    bool along_grid =
        false;      ///< vectors lie along the last loop of the grid; otherwise along the innermost own loop of a stage
    int unroll = 1; ///< vectors per iteration of the loop over the grid
    int turned_loop = -1;      ///< a loop of the grid, but not the last, along which some loads are contiguous: see
                               ///< emit_turned; -1: no such loop
    std::vector<char> aligned; ///< per buffer: begins at a multiple of 16 bytes if all memory that programs get does
    std::vector<int> depth;    ///< per instruction: the number of outermost loops that its value depends on
    std::vector<char> varies;  ///< per instruction: differs between the lanes of a vector
    std::vector<nest::Range> ranges; ///< per instruction: the bounds of its value
    std::vector<int> weights;        ///< per stage: about how many machine instructions its body has
    int weight = 0;                  ///< of all stages

    /// The first `chunk_loops` loops of the grid run as one range of `chunk_extent` units. A worker gets a chunk of
    /// `chunk_grain` units at a time.
    int chunk_loops = 0;
    std::int64_t chunk_extent = 1;
    std::int64_t chunk_grain = 1;

    std::size_t grid() const { return nest.grid.size(); }
    std::size_t loops(const nest::Stage& stage) const { return grid() + stage.loops.size(); }
    std::int64_t extent(const nest::Stage& stage, std::size_t loop) const {
        return loop < grid() ? nest.grid[loop] : stage.loops[loop - grid()];
    }
    /// The loop that vectors of a stage lie along; -1 if it has no vectors.
    int vector_loop(const nest::Stage& stage) const;
    /// The distance in elements from lane to lane of a load or store that varies. The lanes of a computed address come
    /// on top.
    std::int64_t lane_step(const nest::Stage& stage, const nest::Inst& inst) const;
    /// Whether each vector of a load or store with lane_step 1 begins at a multiple of its own size, if `aligned` is
    /// true.
    bool whole_vectors(const nest::Stage& stage, const nest::Inst& inst) const;
    /// Whether the load is contiguous along `turned_loop`.
    bool turned(const nest::Inst& inst) const;
    static bool reduces(const nest::Nest& nest, const nest::Stage& stage);
    /// Whether a loop of the grid has no iterations.
    bool empty() const;
    /// About how many machine instructions the whole nest executes.
    double cost() const;
    /// Whether the nest runs about 5 ms or longer. Such a nest is cut into chunks even for one worker, so that a stop
    /// takes effect between chunks.
    bool takes_long() const { return cost() > 2e7; }
};

NestShape shape_nest(const nest::Nest& nest, const Machine& machine);
/// The shape for threads of a GPU. `aligned` is as in NestShape. Vectors are of 16 bytes. Only large elementwise nests
/// have them, if each thread accesses whole vectors.
NestShape shape_threads(const nest::Nest& nest, std::vector<char> aligned);
/// The shape for one lane, with all loops kept.
NestShape shape_point(const nest::Nest& nest);
/// The shape of a nest of one stage without own loops that runs over parts of its grid. All loops are kept. Vectors lie
/// along the last.
NestShape shape_points(const nest::Nest& nest, const Machine& machine);

} // namespace pm::codegen
