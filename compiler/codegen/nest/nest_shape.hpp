#pragma once
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/nest/fold.hpp"
#include "compiler/nest/nest.hpp"

#include <cstdint>
#include <vector>

namespace pm::codegen {

/// The schedule of a nest: the loop that vectors lie along, and the loop in which each value is computed. The loops of
/// a stage are numbered as in nest::Affine: the loops of the grid, then the stage's own loops.
struct NestShape {
    /// The simplified nest. Loops of one iteration are removed. Loops that access memory with one stride are merged.
    nest::Nest nest;
    int lanes = 1; ///< elements of a vector; 1: no vectors
    /// True: vectors lie along the last loop of the grid. False: they lie along the innermost own loop of a stage.
    bool along_grid = false;
    int unroll = 1; ///< vectors per iteration of the loop over the grid
    /// A loop of the grid, not the last one, along which some loads are contiguous (see emit_transposed); -1: none.
    int transposed_loop = -1;
    std::vector<char> aligned; ///< per buffer: true if its offset is a multiple of 16 bytes. If the program's memory is
                               ///< aligned to 16 bytes, such a buffer is aligned to 16 bytes too
    std::vector<int> depth;    ///< per instruction: the number of outermost loops that its value depends on
    std::vector<char> varies;  ///< per instruction: true if its value differs between the lanes of a vector
    std::vector<nest::Range> ranges; ///< per instruction: the bounds of its value
    std::vector<int> weights;        ///< per stage: the approximate number of machine instructions of its body
    int weight = 0;                  ///< the sum of `weights`

    /// The first `chunk_loops` loops of the grid are iterated as one range of `chunk_extent` units. A worker runs a
    /// chunk of `chunk_grain` units at a time.
    int chunk_loops = 0;
    std::int64_t chunk_extent = 1;
    std::int64_t chunk_grain = 1;

    std::size_t grid() const { return nest.grid.size(); }
    std::size_t loops(const nest::Stage& stage) const { return grid() + stage.loops.size(); }
    std::int64_t extent(const nest::Stage& stage, std::size_t loop) const {
        return loop < grid() ? nest.grid[loop] : stage.loops[loop - grid()];
    }
    /// The loop that vectors of a stage lie along; -1 if the stage has no vectors.
    int vector_loop(const nest::Stage& stage) const;
    /// The distance in elements between neighbouring lanes of a load or store that varies. A computed part of the
    /// address is not included.
    std::int64_t lane_step(const nest::Stage& stage, const nest::Inst& inst) const;
    /// Whether each vector of a load or store with lane_step 1 begins at a multiple of its own size. True only if
    /// `aligned` is true for the buffer.
    bool whole_vectors(const nest::Stage& stage, const nest::Inst& inst) const;
    /// Whether the load is contiguous along `transposed_loop`.
    bool is_transposed(const nest::Inst& inst) const;
    static bool reduces(const nest::Nest& nest, const nest::Stage& stage);
    /// Whether a loop of the grid has no iterations.
    bool empty() const;
    /// The approximate number of machine instructions that the whole nest executes.
    double cost() const;
    /// Whether the nest runs for about 5 ms or longer. A nest that takes long is cut into chunks even for one worker,
    /// so a stop takes effect between chunks.
    bool takes_long() const { return cost() > 2e7; }
};

NestShape shape_nest(const nest::Nest& nest, const Machine& machine);
/// The shape for threads of a GPU. `aligned` is as in NestShape. Only large elementwise nests have vectors, and only if
/// every access is to a whole aligned vector. The vectors have 16 bytes.
NestShape shape_threads(const nest::Nest& nest, std::vector<char> aligned);
/// The shape without vectors. All loops are kept.
NestShape shape_point(const nest::Nest& nest);
/// The shape of a nest that runs over parts of its grid and has one stage without own loops. All loops are kept.
/// Vectors lie along the last loop.
NestShape shape_points(const nest::Nest& nest, const Machine& machine);

} // namespace pm::codegen
