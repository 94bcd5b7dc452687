#pragma once
#include "runtime/io/formats/csv.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pm::runtime {

/// Consecutive rows of a CSV file. The file may be larger than memory.
struct CsvPart {
    /// The number of bytes before the first row of the file. They are skipped lines and the line of names.
    std::uint64_t header = 0;
    std::uint64_t begin = 0; ///< the offset of the part's first byte in the file
    std::uint64_t end = 0;   ///< the offset after the part's last byte
    std::int64_t line = 1;   ///< the number of the part's first line in the file, from 1
};

/// Divides the rows of a file into parts of `rows` rows. The last part has the remaining rows. Reads the file once, in
/// pieces of a few MB. Uses only the options header, delimiter, poll, skip and comment. Throws Failure as read_csv()
/// does. Throws Failure(file_unsupported) if the file is packed or is not a regular file.
std::vector<CsvPart> csv_parts(const std::string& path, std::int64_t rows, const CsvOptions& options,
                               const std::shared_ptr<Allocator>& allocator = {});

/// Reads the rows of a part. Throws Failure as read_csv() does. Throws Failure(file_malformed) if the file has changed
/// since csv_parts() read it.
std::vector<CsvColumn> read_csv_part(const std::string& path, const CsvPart& part, const CsvOptions& options,
                                     const std::shared_ptr<Allocator>& allocator = {});

} // namespace pm::runtime
