#pragma once
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/nest/fold.hpp"
#include "compiler/nest/nest.hpp"

#include <cstdint>
#include <vector>

namespace pm::codegen {

/// How a nest is run: which loop the vectors lie along, and for every instruction in which loop its value is computed.
/// Loops of a stage are numbered as in nest::Affine: the grid's, then its own.
struct NestShape {
    /// The nest with loops of one iteration left out and loops merged that run through memory as one.
    nest::Nest nest;
    int lanes = 1; ///< elements of a vector; 1: no vectors
    bool along_grid =
        false;      ///< vectors lie along the last loop of the grid; otherwise along the innermost own loop of a stage
    int unroll = 1; ///< vectors per iteration of the loop over the grid
    int turned_loop =
        -1; ///< a loop of the grid that some loads run through memory along, not along the last: see emit_turned
    std::vector<char> aligned; ///< per buffer: begins at a multiple of 16 bytes when all memory that programs get does
    std::vector<int> depth;    ///< per instruction: the number of outermost loops its value needs
    std::vector<char> varies;  ///< per instruction: differs between the lanes of a vector
    std::vector<nest::Range> ranges; ///< per instruction what it lies between
    std::vector<int> weights;        ///< per stage: about how many instructions its body has
    int weight = 0;                  ///< of all stages

    /// The first `chunk_loops` loops of the grid are run as one range of `chunk_extent` units; `chunk_grain` of them
    /// are a chunk for a worker.
    int chunk_loops = 0;
    std::int64_t chunk_extent = 1;
    std::int64_t chunk_grain = 1;

    std::size_t grid() const { return nest.grid.size(); }
    std::size_t loops(const nest::Stage& stage) const { return grid() + stage.loops.size(); }
    std::int64_t extent(const nest::Stage& stage, std::size_t loop) const {
        return loop < grid() ? nest.grid[loop] : stage.loops[loop - grid()];
    }
    /// The loop that vectors of a stage lie along, -1 for none.
    int vector_loop(const nest::Stage& stage) const;
    /// Elements from lane to lane of a load or store that varies; of one with a computed address beside that.
    std::int64_t lane_step(const nest::Stage& stage, const nest::Inst& inst) const;
    /// The vector of a load or store whose lane_step is 1 begins at a multiple of its own size, where `aligned` holds.
    bool whole_vectors(const nest::Stage& stage, const nest::Inst& inst) const;
    /// The load runs through memory along `turned_loop`.
    bool turned(const nest::Inst& inst) const;
    static bool reduces(const nest::Nest& nest, const nest::Stage& stage);
    /// No work at all: a loop of the grid has no iterations.
    bool empty() const;
    /// About how many machine instructions a whole run takes.
    double cost() const;
    /// About 5 ms or more: cut into chunks on one worker too, so that it can be stopped between them.
    bool takes_long() const { return cost() > 2e7; }
};

NestShape shape_nest(const nest::Nest& nest, const Machine& machine);
/// For threads of a GPU. `aligned`: as NestShape has it. Vectors of 16 bytes only where each thread reads and writes
/// whole ones, in large elementwise nests.
NestShape shape_threads(const nest::Nest& nest, std::vector<char> aligned);
/// The same with all loops as they are.
NestShape shape_point(const nest::Nest& nest);
/// For a nest of one stage without own loops that is run over parts of its grid: all its loops stay, vectors lie along
/// the last.
NestShape shape_points(const nest::Nest& nest, const Machine& machine);

} // namespace pm::codegen
