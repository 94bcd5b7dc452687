#include "runtime/memory/tape.hpp"

#include "runtime/element.hpp"
#include "runtime/failure.hpp"
#include "runtime/memory/packed_numbers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace pm::runtime {

namespace {

/// The most bytes of a chunk that holds more than one array. With doubling alone, Ctrl-C waited 2.2 s while a chunk of
/// gigabytes was cleared.
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
/// As chunk_bytes, for tapes on a GPU. A GPU clears memory quickly, so its chunks are larger. At the end of a chunk a
/// kernel exits and is launched again (gpu/host/tapes.hpp). The exit and the launch take some 20 us, as long as a few
/// iterations that store 64 KB each.
constexpr std::size_t device_chunk_bytes = std::size_t{16} << 20;
/// Bytes of the first chunk on a GPU. GPUs allocate memory in units of this size. A first chunk of this size suffices
/// for the tape of a short inner loop.
constexpr std::size_t device_first_bytes = 512;

/// The base-2 logarithm of the number of arrays in a chunk.
int arrays_in_chunk(std::size_t bytes, std::size_t chunk) {
    return std::bit_width(chunk / std::clamp<std::size_t>(bytes, 1, chunk)) - 1;
}

Tape& tape_of(std::uint64_t handle) { return *reinterpret_cast<Tape*>(handle); }

/// Adds the elements of `from` to those of `to`. If the elements are tapes and an element of `to` is 0, it becomes the
/// tape of `from`. `from` must not be used afterwards.
void add_elements(DType dtype, std::int64_t n, std::byte* to, const std::byte* from) {
    for (std::int64_t i = 0; i < n; ++i) {
        if (dtype != DType::tape) {
            write_c128(dtype, to, i, read_c128(dtype, to, i) + read_c128(dtype, from, i));
            continue;
        }
        const std::uint64_t sum = read_u64(dtype, to, i);
        const std::uint64_t more = read_u64(dtype, from, i);
        if (sum == 0)
            write_u64(dtype, to, i, more);
        else if (more != 0)
            tape_of(sum).add(tape_of(more));
    }
}

} // namespace

Tape::Tape(DType dtype, std::int64_t elements, std::shared_ptr<Allocator> allocator, std::shared_ptr<Device> device)
    : dtype_(dtype), elements_(elements), bytes_(static_cast<std::size_t>(elements) * size_of(dtype)),
      first_bits_(device ? arrays_in_chunk(bytes_, device_first_bytes) : 0),
      last_bits_(arrays_in_chunk(bytes_, device ? device_chunk_bytes : chunk_bytes)), allocator_(std::move(allocator)),
      device_(std::move(device)) {}

std::int64_t Tape::room_of(std::size_t chunk) const {
    const auto doublings = static_cast<std::size_t>(last_bits_ - first_bits_);
    return std::int64_t{1} << (static_cast<std::size_t>(first_bits_) + std::min(chunk, doublings));
}

std::int64_t Tape::first_of(std::size_t chunk) const {
    const auto doublings = static_cast<std::size_t>(last_bits_ - first_bits_);
    const std::int64_t doubled = room_of(chunk) - room_of(0);
    return chunk <= doublings ? doubled : doubled + (static_cast<std::int64_t>(chunk - doublings) << last_bits_);
}

Tape::Place Tape::place_of(std::int64_t index) const {
    // The position is computed as if chunks of 1, 2, 4 ... arrays preceded the first chunk.
    const std::int64_t place = index + room_of(0) - 1;
    const std::int64_t doubled = (std::int64_t{1} << last_bits_) - 1;
    const std::int64_t chunk = place < doubled ? std::bit_width(static_cast<std::uint64_t>(place) + 1) - 1
                                               : last_bits_ + ((place - doubled) >> last_bits_);
    const auto number = static_cast<std::size_t>(chunk - first_bits_);
    return {number, static_cast<std::size_t>(index - first_of(number))};
}

std::byte* Tape::find(std::int64_t index) const {
    if (index < 0) return nullptr;
    const Place place = place_of(index);
    if (place.chunk >= chunks_.size() || place.array >= chunks_[place.chunk].filled) return nullptr;
    return chunks_[place.chunk].data() + place.array * bytes_;
}

Tape::Run Tape::around(std::int64_t index) const {
    const Place place = place_of(index);
    const std::int64_t first = first_of(place.chunk);
    const std::int64_t end = first + room_of(place.chunk);
    if (place.chunk >= chunks_.size()) return {first, end};
    const Chunk& chunk = chunks_[place.chunk];
    const std::int64_t filled = first + static_cast<std::int64_t>(chunk.filled);
    if (index >= filled) return {filled, end};
    return {first, filled, chunk.data()};
}

Tape::Run Tape::make_around(std::int64_t index) {
    const std::size_t chunk = place_of(index).chunk;
    const std::int64_t room = room_of(chunk);
    at(Place{chunk, static_cast<std::size_t>(room - 1)});
    return {first_of(chunk), first_of(chunk) + room, chunks_[chunk].data()};
}

std::byte* Tape::at(std::int64_t index) { return index < 0 ? nullptr : at(place_of(index)); }

std::byte* Tape::at(const Place& place) {
    if (place.chunk >= chunks_.size()) chunks_.resize(place.chunk + 1);
    Chunk& chunk = chunks_[place.chunk];
    if (!chunk.memory && !chunk.device_memory) make(chunk, place.chunk);
    std::byte* const array = chunk.data() + place.array * bytes_;
    if (place.array >= chunk.filled) {
        std::byte* const end = chunk.data() + chunk.filled * bytes_;
        const std::size_t bytes = static_cast<std::size_t>(array - end) + bytes_;
        if (device_)
            device_->clear(end, bytes);
        else
            std::memset(end, 0, bytes);
        chunk.filled = place.array + 1;
    }
    return array;
}

void Tape::make(Chunk& chunk, std::size_t number) {
    const std::array<std::int64_t, 2> shape = {room_of(number), elements_};
    const std::size_t bytes = static_cast<std::size_t>(checked_elements(shape, size_of(dtype_))) * size_of(dtype_);
    if (device_)
        chunk.device_memory = std::make_unique<DeviceScratch>(device_, bytes);
    else
        chunk.memory = std::make_unique<Scratch>(allocator_, bytes);
}

void Tape::write(std::int64_t index, std::string_view array) {
    if (device_)
        device_->upload(at(index), reinterpret_cast<const std::byte*>(array.data()), bytes_);
    else
        std::memcpy(at(index), array.data(), bytes_);
}

void Tape::add(const Tape& other) {
    for (std::size_t c = 0; c < other.chunks_.size(); ++c) {
        const auto filled = other.chunks_[c].filled;
        if (filled == 0) continue;
        at(Place{c, filled - 1});
        const auto elements = static_cast<std::int64_t>(filled) * elements_;
        if (device_) { // adding two tapes is rare, so the host does it
            const Scratch sum(allocator_, filled * bytes_);
            const Scratch more(allocator_, filled * bytes_);
            device_->download(sum.data(), chunks_[c].data(), sum.size());
            device_->download(more.data(), other.chunks_[c].data(), more.size());
            add_elements(dtype_, elements, sum.data(), more.data());
            device_->upload(chunks_[c].data(), sum.data(), sum.size());
        } else {
            add_elements(dtype_, elements, chunks_[c].data(), other.chunks_[c].data());
        }
    }
}

namespace {

[[noreturn]] void refuse_bytes() {
    throw Failure(FailureKind::bad_argument, "another process has sent a tape that is cut off");
}

/// Takes bytes from the front.
std::string_view take(std::string_view& bytes, std::size_t count) {
    if (count > bytes.size()) refuse_bytes();
    const std::string_view front = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return front;
}

std::int64_t take_one(std::string_view& bytes) {
    const std::optional<std::int64_t> number = take_number(bytes);
    if (!number) refuse_bytes();
    return *number;
}

} // namespace

/// Appends the dtype, the number of elements of an array and the number of arrays, then each array. The tapes that an
/// array contains follow it.
void Tape::pack(std::string& bytes) const {
    const std::int64_t arrays =
        chunks_.empty() ? 0 : first_of(chunks_.size() - 1) + static_cast<std::int64_t>(chunks_.back().filled);
    for (const std::int64_t number : {static_cast<std::int64_t>(dtype_), elements_, arrays})
        append_number(bytes, number);
    for (std::int64_t i = 0; i < arrays; ++i) {
        std::string array(bytes_, '\0');
        const std::byte* const from = find(i);
        if (from != nullptr && device_)
            device_->download(reinterpret_cast<std::byte*>(array.data()), from, bytes_);
        else if (from != nullptr)
            std::memcpy(array.data(), from, bytes_);
        bytes += array;
        for (std::size_t e = 0; dtype_ == DType::tape && e < bytes_; e += sizeof(std::uint64_t))
            pack_tape(array.data() + e, bytes);
    }
}

void pack_tape(const void* handle, std::string& bytes) {
    const std::uint64_t tape = read_u64(DType::tape, handle, 0);
    append_number(bytes, tape == 0 ? 0 : 1);
    if (tape != 0) tape_of(tape).pack(bytes);
}

void unpack_tape(Tapes& tapes, std::string_view& bytes, void* handle) {
    write_u64(DType::tape, handle, 0, 0);
    if (take_one(bytes) == 0) return;
    const auto dtype = static_cast<DType>(take_one(bytes));
    const std::array<std::int64_t, 1> shape = {take_one(bytes)};
    const std::size_t size = static_cast<std::size_t>(checked_elements(shape, size_of(dtype))) * size_of(dtype);
    Tape& made = tapes.make(-1, dtype, shape[0]);
    const std::int64_t arrays = take_one(bytes);
    for (std::int64_t i = 0; i < arrays; ++i) {
        std::string array(take(bytes, size));
        for (std::size_t e = 0; dtype == DType::tape && e < size; e += sizeof(std::uint64_t))
            unpack_tape(tapes, bytes, array.data() + e);
        made.write(i, array);
    }
    write_u64(DType::tape, handle, 0, reinterpret_cast<std::uint64_t>(&made));
}

Tape& Tapes::make(std::int64_t lane, DType dtype, std::int64_t elements) {
    const std::scoped_lock lock(mutex_);
    return *lists_[lane].emplace_back(std::make_unique<Tape>(dtype, elements, allocator_, device_));
}

void Tapes::enter(std::int64_t lane) {
    const std::scoped_lock lock(mutex_);
    if (lane >= 0) {
        lane_marks_[lane].push_back(lists_[lane].size());
        return;
    }
    auto& marks = marks_.emplace_back();
    for (const auto& [of, list] : lists_) marks[of] = list.size();
}

void Tapes::leave(std::int64_t lane) {
    const std::scoped_lock lock(mutex_);
    if (lane >= 0) {
        lists_[lane].resize(lane_marks_[lane].back());
        lane_marks_[lane].pop_back();
        return;
    }
    for (auto& [of, list] : lists_) list.resize(marks_.back()[of]);
    marks_.pop_back();
}

namespace {

std::size_t bytes_of(const TapeBatch& batch) { return static_cast<std::size_t>(batch.elements) * size_of(batch.dtype); }

/// Calls visit(address of the array in its tape, value) for each address in `places` that is not null.
template <class Visit>
void each_written(const TapeBatch& batch, const std::vector<std::byte*>& places, const void* values,
                  const Visit& visit) {
    const auto* value = static_cast<const std::byte*>(values);
    for (std::byte* place : places) {
        if (place != nullptr) visit(place, value);
        value += bytes_of(batch);
    }
}

} // namespace

Tape& tape_of(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, std::uint64_t& handle) {
    if (handle == 0) handle = reinterpret_cast<std::uint64_t>(&tapes.make(lane, batch.dtype, batch.elements));
    return tape_of(handle);
}

std::vector<std::byte*> tape_places(Tapes& tapes, std::int64_t lane, const TapeBatch& batch,
                                    const std::int64_t* indices, std::uint64_t* handles) {
    std::vector<std::byte*> places(static_cast<std::size_t>(batch.count));
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (indices[i] >= 0) places[i] = tape_of(tapes, lane, batch, handles[i]).at(indices[i]);
    }
    return places;
}

std::vector<std::byte*> tape_places(const TapeBatch& batch, const std::int64_t* indices, const std::uint64_t* handles) {
    std::vector<std::byte*> places(static_cast<std::size_t>(batch.count));
    for (std::size_t i = 0; i < places.size(); ++i)
        if (handles[i] != 0) places[i] = tape_of(handles[i]).find(indices[i]);
    return places;
}

void tape_set(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, const void* values, const std::int64_t* indices,
              std::uint64_t* handles) {
    const std::size_t bytes = bytes_of(batch);
    each_written(batch, tape_places(tapes, lane, batch, indices, handles), values,
                 [bytes](std::byte* to, const std::byte* from) { std::memcpy(to, from, bytes); });
}

void tape_add(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, const void* values, const std::int64_t* indices,
              std::uint64_t* handles) {
    each_written(
        batch, tape_places(tapes, lane, batch, indices, handles), values,
        [&batch](std::byte* to, const std::byte* from) { add_elements(batch.dtype, batch.elements, to, from); });
}

void tape_get(const TapeBatch& batch, const std::uint64_t* handles, const std::int64_t* indices, void* values) {
    const std::size_t bytes = bytes_of(batch);
    auto* value = static_cast<std::byte*>(values);
    for (const std::byte* from : tape_places(batch, indices, handles)) {
        if (from != nullptr)
            std::memcpy(value, from, bytes);
        else
            std::memset(value, 0, bytes);
        value += bytes;
    }
}

void tape_sum(std::int64_t count, const std::uint64_t* more, std::uint64_t* handles) {
    add_elements(DType::tape, count, reinterpret_cast<std::byte*>(handles), reinterpret_cast<const std::byte*>(more));
}

std::vector<Array> keeping(std::vector<Array> arrays, const std::shared_ptr<Tapes>& made,
                           const std::vector<Array>& arguments) {
    struct Kept {
        Array handles;
        std::shared_ptr<Tapes> made;
        std::vector<Array> arguments;
    };
    for (Array& array : arrays) {
        if (array.dtype() != DType::tape) continue;
        Kept all{std::move(array), made, {}};
        for (const Array& argument : arguments)
            if (argument && argument.dtype() == DType::tape) all.arguments.push_back(argument);
        auto kept = std::make_shared<const Kept>(std::move(all));
        array = Array::borrow(kept->handles.data(), DType::tape, kept->handles.shape(), {}, kept);
    }
    return arrays;
}

} // namespace pm::runtime
