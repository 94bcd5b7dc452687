#include "runtime/tape.hpp"

#include "runtime/element.hpp"

#include <bit>
#include <cstring>

namespace pm::runtime {

namespace {

Tape& tape_of(std::uint64_t handle) { return *reinterpret_cast<Tape*>(handle); }

/// to += from; a tape that is not there yet becomes the other one, which nobody else goes on to use.
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

Tape::Tape(DType dtype, std::int64_t elements, std::shared_ptr<Allocator> allocator)
    : dtype_(dtype), elements_(elements), allocator_(std::move(allocator)) {}

/// Chunk c begins at (first << c) - first.
Tape::Place Tape::place_of(std::int64_t index) const {
    const std::uint64_t shifted = static_cast<std::uint64_t>(index) + (std::uint64_t{1} << first_bits);
    const auto chunk = static_cast<std::size_t>(std::bit_width(shifted)) - 1 - first_bits;
    return {chunk, (shifted - (std::uint64_t{1} << (chunk + first_bits))) * static_cast<std::uint64_t>(elements_) *
                       size_of(dtype_)};
}

const std::byte* Tape::find(std::int64_t index) const {
    if (index < 0) return nullptr;
    const Place place = place_of(index);
    return chunks_[place.chunk] ? chunks_[place.chunk]->data() + place.offset : nullptr;
}

std::byte* Tape::at(std::int64_t index) {
    if (index < 0) return nullptr;
    const Place place = place_of(index);
    std::unique_ptr<Scratch>& chunk = chunks_[place.chunk];
    if (!chunk) {
        const std::array<std::int64_t, 2> shape = {std::int64_t{1} << (place.chunk + first_bits), elements_};
        const auto bytes = static_cast<std::size_t>(checked_elements(shape, size_of(dtype_))) * size_of(dtype_);
        chunk = std::make_unique<Scratch>(allocator_, bytes);
        std::memset(chunk->data(), 0, bytes);
    }
    return chunk->data() + place.offset;
}

void Tape::add(const Tape& other) {
    for (std::size_t c = 0; c < other.chunks_.size(); ++c) {
        if (!other.chunks_[c]) continue;
        const std::int64_t arrays = std::int64_t{1} << (c + first_bits);
        add_elements(dtype_, arrays * elements_, at(arrays - (std::int64_t{1} << first_bits)),
                     other.chunks_[c]->data());
    }
}

Tape& Tapes::make(std::int64_t lane, DType dtype, std::int64_t elements) {
    const std::scoped_lock lock(mutex_);
    return *lists_[lane].emplace_back(std::make_unique<Tape>(dtype, elements, allocator_));
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

/// visit(bytes of the element in its tape, the values beside it) for each index that is not below 0.
template <class Visit>
void each_written(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, const void* values,
                  const std::int64_t* indices, std::uint64_t* handles, const Visit& visit) {
    const std::size_t bytes = bytes_of(batch);
    const auto* value = static_cast<const std::byte*>(values);
    for (std::int64_t i = 0; i < batch.count; ++i, value += bytes) {
        if (indices[i] < 0) continue;
        if (handles[i] == 0)
            handles[i] = reinterpret_cast<std::uint64_t>(&tapes.make(lane, batch.dtype, batch.elements));
        visit(tape_of(handles[i]).at(indices[i]), value);
    }
}

} // namespace

void tape_set(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, const void* values, const std::int64_t* indices,
              std::uint64_t* handles) {
    const std::size_t bytes = bytes_of(batch);
    each_written(tapes, lane, batch, values, indices, handles,
                 [bytes](std::byte* to, const std::byte* from) { std::memcpy(to, from, bytes); });
}

void tape_add(Tapes& tapes, std::int64_t lane, const TapeBatch& batch, const void* values, const std::int64_t* indices,
              std::uint64_t* handles) {
    each_written(tapes, lane, batch, values, indices, handles, [&batch](std::byte* to, const std::byte* from) {
        add_elements(batch.dtype, batch.elements, to, from);
    });
}

void tape_get(const TapeBatch& batch, const std::uint64_t* handles, const std::int64_t* indices, void* values) {
    const std::size_t bytes = bytes_of(batch);
    auto* value = static_cast<std::byte*>(values);
    for (std::int64_t i = 0; i < batch.count; ++i, value += bytes) {
        const std::byte* from = handles[i] == 0 ? nullptr : tape_of(handles[i]).find(indices[i]);
        if (from != nullptr)
            std::memcpy(value, from, bytes);
        else
            std::memset(value, 0, bytes);
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
