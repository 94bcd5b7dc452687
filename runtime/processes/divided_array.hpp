#pragma once
#include "runtime/array.hpp"
#include "runtime/processes/processes.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Arrays of which each process of a job has its own part (Buffer::divide).
namespace pm::runtime {

/// The first byte of each process, and the number of bytes, of an array of `bytes` bytes. It consists of equal parts,
/// such as those of lanes (see LanesOfProcesses) or rows. Process p has the parts first[p] .. first[p + 1] - 1.
std::vector<std::int64_t> division_in_bytes(const std::vector<std::int64_t>& first, std::int64_t bytes);

/// An array that is to be divided. The own parts are zero, the others are undefined: their memory is not touched.
Array with_own_parts(DType dtype, Shape shape, const std::vector<std::int64_t>& first, int process,
                     const std::shared_ptr<Allocator>& allocator);

/// A hash of an array, which processes compare. Of a long array, sample_hash() of some bytes. Of a divided array the
/// number and the type; of one on a device, and of tapes, whose elements are addresses, the type.
std::uint64_t sample_hash(const Array& array, std::size_t most, std::uint64_t seed);

/// Declares that each process has its own parts only. All processes divide the same arrays in the same order. The
/// array's data() brings the other parts: then it is a meeting, and throws JobFailure. `description` is that of the
/// array in messages. `processes` must outlive the array.
void divide(Array& array, const std::vector<std::int64_t>& first, Processes& processes, const std::string& description);

} // namespace pm::runtime
