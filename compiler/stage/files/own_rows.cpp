#include "compiler/stage/files/own_rows.hpp"

#include "compiler/stage/core/failures.hpp"
#include "compiler/stage/files/first_process.hpp"
#include "compiler/stage/values/tree.hpp"
#include "runtime/io/formats/npy.hpp"
#include "runtime/processes/divided_array.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace pm::stage::files {
namespace {

/// The first row of each process, and the number of rows.
std::vector<std::int64_t> first_rows(const Host& host, std::int64_t rows) {
    const std::int64_t each = (rows + host.devices - 1) / host.devices * (host.devices / host.processes->count());
    std::vector<std::int64_t> first;
    for (int p = 0; p <= host.processes->count(); ++p) first.push_back(std::min(rows, p * each));
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
    Array made = Array::empty(whole.dtype(), whole.shape(), host.allocator); // the rows of the others are not touched
    const auto p = static_cast<std::size_t>(host.processes->index());
    const std::int64_t row = whole.size(0) == 0 ? 0 : whole.bytes() / whole.size(0);
    if (first[p + 1] > first[p])
        std::memcpy(made.mutable_as<char>() + first[p] * row, whole.as<char>() + first[p] * row,
                    static_cast<std::size_t>((first[p + 1] - first[p]) * row));
    divide(s, made, span);
    return made;
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
    const auto wanted = [&](std::int64_t rows) {
        const std::vector<std::int64_t> first = first_rows(host, rows);
        const auto p = static_cast<std::size_t>(host.processes->index());
        return runtime::Rows{first[p], first[p + 1]};
    };
    std::optional<Array> read = runtime::load_npy_rows(path, wanted, host.allocator, s.polling());
    if (!read) return own_rows(s, runtime::load_npy(path, host.allocator, s.polling()), span);
    divide(s, *read, span);
    return *read;
}

} // namespace pm::stage::files
