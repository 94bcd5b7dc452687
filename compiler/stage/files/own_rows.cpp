#include "compiler/stage/files/own_rows.hpp"

#include "compiler/stage/core/failures.hpp"
#include "compiler/stage/files/files.hpp"
#include "compiler/stage/files/first_process.hpp"
#include "compiler/stage/values/tree.hpp"
#include "runtime/failure.hpp"
#include "runtime/io/gzip.hpp"
#include "runtime/processes/divided_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace pm::stage::files {
namespace {

/// The first row of each process, and the number of rows.
std::vector<std::int64_t> first_rows(const Host& host, std::int64_t rows) {
    const std::int64_t of_device = rows / host.devices + (rows % host.devices == 0 ? 0 : 1);
    const std::int64_t devices = host.devices / host.processes->count(); // of a process
    std::vector<std::int64_t> first;
    for (int p = 0; p <= host.processes->count(); ++p) {
        std::int64_t begin = 0;
        if (__builtin_mul_overflow(of_device, p * devices, &begin)) begin = rows;
        first.push_back(std::min(rows, begin));
    }
    return first;
}

void divide(Stager& s, Array& array, Span span) {
    const Host& host = s.host();
    runtime::divide(array, first_rows(host, array.size(0)), *host.processes,
                    "the rows of a file" + place_text(s.sources(), span));
}

Array copied_rows(Stager& s, const Array& whole, Span span) {
    const Host& host = s.host();
    const std::vector<std::int64_t> first = first_rows(host, whole.size(0));
    const auto p = static_cast<std::size_t>(host.processes->index());
    const std::int64_t row = whole.size(0) == 0 ? 0 : whole.bytes() / whole.size(0);
    Array made = Array::empty_part(whole.dtype(), whole.shape(), first[p] * row, first[p + 1] * row, host.allocator);
    if (first[p + 1] > first[p])
        std::memcpy(made.mutable_as<char>() + first[p] * row, whole.as<char>() + first[p] * row,
                    static_cast<std::size_t>((first[p + 1] - first[p]) * row));
    divide(s, made, span);
    return made;
}

/// This process's rows of `rows`.
runtime::Rows rows_of_process(const Host& host, std::int64_t rows) {
    const std::vector<std::int64_t> first = first_rows(host, rows);
    const auto p = static_cast<std::size_t>(host.processes->index());
    return {first[p], first[p + 1]};
}

/// Throws Failure(file_malformed) if the rows of all processes are not the array in the file. `checksums` are those of
/// the processes' rows.
void verify(const Host& host, const runtime::NpzRows& read, const std::vector<std::uint32_t>& checksums) {
    const std::vector<std::int64_t> first = first_rows(host, read.array.size(0));
    const std::int64_t row = read.array.bytes() / read.array.size(0);
    std::uint32_t checksum = read.header;
    for (std::size_t p = 0; p < checksums.size(); ++p)
        checksum =
            runtime::crc32_joined(checksum, checksums[p], static_cast<std::uint64_t>((first[p + 1] - first[p]) * row));
    if (checksum != read.expected)
        throw runtime::Failure(runtime::FailureKind::file_malformed,
                               fmt::format("{} is no valid zip file: its checksum is wrong", read.where));
}

} // namespace

Value own_rows(Stager& s, const Value& value, Span span) {
    if (s.host().processes == nullptr) return value;
    s.host().processes->history().add(hash_of(value, 0), "the content of a file" + place_text(s.sources(), span));
    return map_leaves(value, [&](const Value& leaf) -> Value {
        const Array* array = leaf.array();
        return array == nullptr || array->rank() == 0 ? leaf : copied_rows(s, *array, span);
    });
}

Value load_own_rows(Stager& s, const std::string& path, Span span) {
    const Host& host = s.host();
    if (host.processes == nullptr) return runtime::load_npy(path, host.allocator, s.polling());
    const auto wanted = [&](std::int64_t rows) { return rows_of_process(host, rows); };
    std::optional<Array> read = runtime::load_npy_rows(path, wanted, host.allocator, s.polling());
    if (!read) return own_rows(s, runtime::load_npy(path, host.allocator, s.polling()), span);
    divide(s, *read, span);
    return *read;
}

runtime::NamedArrays load_own_archive(Stager& s, const Arguments& a, std::string_view what, const std::string& whole) {
    const Host& host = s.host();
    const auto wanted = [&](const std::string& name, std::int64_t rows) {
        return name == whole ? std::nullopt : std::optional(rows_of_process(host, rows));
    };
    std::vector<runtime::NpzRows> read;
    const std::vector<Value> checksums = from_all(s, a, meeting_of(s, a, what, 1), [&] {
        read = runtime::load_npz_rows(path_of(s, a), wanted, host.allocator, s.polling());
        std::vector<Value> own;
        for (const runtime::NpzRows& array : read) own.push_back(Value::integer(array.own));
        return Value::tuple(std::move(own));
    });
    runtime::NamedArrays arrays;
    for (std::size_t i = 0; i < read.size(); ++i) {
        std::vector<std::uint32_t> of_processes;
        for (const Value& own : checksums) {
            if (own.tuple()->items.size() != read.size())
                throw runtime::Failure(runtime::FailureKind::file_malformed,
                                       fmt::format("{} is not the same in all processes", path_of(s, a)));
            of_processes.push_back(static_cast<std::uint32_t>(own.tuple()->items[i].number()->i));
        }
        if (read[i].in_parts) {
            verify(host, read[i], of_processes);
            divide(s, read[i].array, a.span);
        } else if (read[i].name != whole && read[i].array.rank() != 0) {
            read[i].array = copied_rows(s, read[i].array, a.span);
        }
        arrays.emplace_back(read[i].name, std::move(read[i].array));
    }
    return arrays;
}

} // namespace pm::stage::files
