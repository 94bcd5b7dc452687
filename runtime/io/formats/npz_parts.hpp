#pragma once
#include "runtime/io/formats/npy.hpp"
#include "runtime/io/formats/zip.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pm::runtime {

/// An .npz file that the processes of a job write together. Each process writes its own parts of divided arrays
/// (Array::division). The first process writes the other arrays. The bytes of the file are those of save_npz().
class NpzParts {
  public:
    /// Throws Failure(bad_argument) if two names are equal, or a name is too long.
    NpzParts(const NamedArrays& arrays, int process);

    // These functions throw Failure(file_unwritable) if the disk is full or fails.

    /// Writes a random text at the begin of the file `name`, which exists and is empty. Returns the text.
    static std::string mark(const std::string& name);
    using Checksums = std::vector<std::uint32_t>; ///< of a process's part of each array
    /// Writes this process's elements to the file `name`, and waits for the disk. Returns nullopt if this process
    /// cannot open the file with the text `mark`. `poll` is called between parts.
    std::optional<Checksums> write_own(const std::string& name, const std::string& mark,
                                       const std::function<void()>& poll) const;
    /// Writes everything but the elements, in place of the mark. The checksums are those of all processes.
    void write_rest(const std::string& name, const std::vector<Checksums>& checksums) const;

  private:
    /// The bytes begin .. end - 1 of the elements of an array.
    struct Range {
        std::uint64_t begin, end;
    };
    struct Place {
        ZipEntry entry;
        std::string npy_header;
        std::uint64_t elements; ///< the offset of the elements in the file
        const Array* array;
    };
    static Range range_of(const Array& array, int process);

    std::vector<Place> places_;
    std::uint64_t end_ = 0; ///< the offset of the directory
    int process_;
};

} // namespace pm::runtime
