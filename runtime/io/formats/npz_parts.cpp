#include "runtime/io/formats/npz_parts.hpp"

#include "runtime/failure.hpp"
#include "runtime/io/descriptor.hpp"
#include "runtime/io/formats/npy_header.hpp"
#include "runtime/io/gzip.hpp"
#include "runtime/io/writing.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>

namespace pm::runtime {
namespace {

Descriptor opened(const std::string& name) { return Descriptor(::open(name.c_str(), O_RDWR | O_CLOEXEC)); }

[[noreturn]] void fail_write() {
    throw Failure(FailureKind::file_unwritable,
                  fmt::format("cannot write the parts of an archive: {}", std::strerror(errno)));
}

void write_at(const Descriptor& file, std::uint64_t at, std::string_view bytes, const std::function<void()>& poll) {
    if (::lseek(file.number(), static_cast<off_t>(at), SEEK_SET) < 0 || !write_all(file.number(), bytes, poll))
        fail_write();
}

void sync(const Descriptor& file) {
    if (!synced(file.number())) fail_write();
}

} // namespace

std::string NpzParts::mark(const std::string& name) {
    std::random_device random;
    const std::string mark = fmt::format("{:08x}{:08x}", random(), random());
    const Descriptor file = opened(name);
    if (!file) fail_write();
    write_at(file, 0, mark, {});
    sync(file);
    return mark;
}

NpzParts::NpzParts(const NamedArrays& arrays, int process) : process_(process) {
    require_different_names(arrays);
    for (const auto& [name, array] : arrays) {
        std::string npy_header = format_npy_header(array.dtype(), array.shape());
        const std::uint64_t size = npy_header.size() + static_cast<std::uint64_t>(array.bytes());
        ZipEntry entry{name + ".npy", false, 0, size, size, end_};
        const std::uint64_t elements = end_ + zip_header(entry).size() + npy_header.size();
        end_ = elements + static_cast<std::uint64_t>(array.bytes());
        places_.push_back({std::move(entry), std::move(npy_header), elements, &array});
    }
}

NpzParts::Range NpzParts::range_of(const Array& array, int process) {
    const auto p = static_cast<std::size_t>(process);
    if (const Division* const division = array.division())
        return {static_cast<std::uint64_t>(division->first[p]), static_cast<std::uint64_t>(division->first[p + 1])};
    return {0, process == 0 ? static_cast<std::uint64_t>(array.bytes()) : 0};
}

std::optional<NpzParts::Checksums> NpzParts::write_own(const std::string& name, const std::string& mark,
                                                       const std::function<void()>& poll) const {
    const Descriptor file = opened(name);
    std::string begin(mark.size(), '\0');
    if (!file || ::pread(file.number(), begin.data(), begin.size(), 0) < 0 || begin != mark) return std::nullopt;
    Checksums made;
    for (const Place& place : places_) {
        const Range range = range_of(*place.array, process_);
        std::string_view own;
        if (range.end > range.begin) {
            const void* const data =
                place.array->division() == nullptr ? place.array->data() : place.array->divided_data();
            own = {static_cast<const char*>(data) + range.begin, range.end - range.begin};
        }
        made.push_back(crc32_of(own, poll));
        write_at(file, place.elements + range.begin, own, poll);
    }
    sync(file);
    return made;
}

void NpzParts::write_rest(const std::string& name, const std::vector<Checksums>& checksums) const {
    const Descriptor file = opened(name);
    if (!file) fail_write();
    std::vector<ZipEntry> entries;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const Place& place = places_[i];
        ZipEntry& entry = entries.emplace_back(place.entry);
        entry.crc = crc32_of(place.npy_header);
        for (std::size_t p = 0; p < checksums.size(); ++p) {
            const Range range = range_of(*place.array, static_cast<int>(p));
            entry.crc = crc32_joined(entry.crc, checksums[p][i], range.end - range.begin);
        }
        write_at(file, entry.header, zip_header(entry) + place.npy_header, {});
    }
    write_at(file, end_, zip_directory(entries, end_), {});
}

} // namespace pm::runtime
