#include "compiler/plan/memory/memory.hpp"

#include "compiler/base/check.hpp"

namespace pm::plan {

std::int64_t bytes_of(const ir::Type& type) {
    return type.elements() * static_cast<std::int64_t>(runtime::size_of(type.dtype));
}

ir::Type row_of(const ir::Type& stacked) { return {stacked.dtype, {stacked.shape.begin() + 1, stacked.shape.end()}}; }

StorageId Memory::fixed(Space space, std::uint32_t index, std::int64_t bytes) {
    storages_.push_back({space, index, bytes, 0, false, {}});
    return static_cast<StorageId>(storages_.size() - 1);
}

StorageId Memory::temporary(std::int64_t bytes, std::int64_t lanes) {
    storages_.push_back({Space::arena, 0, bytes, lanes, false, {}});
    return static_cast<StorageId>(storages_.size() - 1);
}

BufferId Memory::buffer(StorageId storage, const ir::Type& type, std::int64_t offset, std::vector<Stride> strides,
                        std::string note) {
    std::vector<std::pair<std::uint32_t, std::int64_t>> moves;
    for (const Stride& s : strides) moves.emplace_back(s.loop, s.bytes);
    const auto [found, added] = views_.try_emplace({storage, type.dtype, type.shape, offset, std::move(moves)},
                                                   static_cast<BufferId>(program_.buffers.size()));
    if (!added) return found->second;
    Buffer b;
    b.dtype = type.dtype;
    b.shape = type.shape;
    b.space = storages_[storage].space;
    b.index = storages_[storage].index;
    b.offset = offset;
    b.strides = std::move(strides);
    b.note = std::move(note);
    program_.buffers.push_back(std::move(b));
    storage_of_.push_back(storage);
    storages_[storage].views.push_back(found->second);
    return found->second;
}

BufferId Memory::temporary(const ir::Type& type, std::int64_t lanes, std::string note) {
    return buffer(temporary(bytes_of(type), lanes), type, 0, {}, std::move(note));
}

BufferId Memory::view(BufferId base, const ir::Type& type, std::int64_t offset, std::optional<Stride> stride) {
    const Buffer& b = program_.buffers[base];
    std::vector<Stride> strides = b.strides;
    if (stride && stride->bytes != 0) strides.push_back(*stride);
    return buffer(storage_of_[base], type, b.offset + offset, std::move(strides), b.note);
}

BufferId Memory::first_lane(BufferId each) {
    const Buffer& b = program_.buffers[each];
    std::vector<Stride> strides = b.strides;
    std::erase_if(strides, [](const Stride& s) { return s.loop == lane; });
    // Adds an explicit stride of 0. Without it, assign() would add the lane stride that the other views of the storage
    // have.
    if (storages_[storage_of_[each]].lanes != 0) strides.push_back({lane, 0});
    return buffer(storage_of_[each], type(each), b.offset, std::move(strides), b.note);
}

BufferId Memory::constant(const ir::Type& type, std::vector<std::uint8_t> bytes) {
    for (std::size_t i = 0; i < program_.constants.size(); ++i)
        if (program_.constants[i].bytes == bytes)
            for (StorageId s = 0; s < storages_.size(); ++s)
                if (storages_[s].space == Space::constant && storages_[s].index == i) return buffer(s, type);
    const auto index = static_cast<std::uint32_t>(program_.constants.size());
    const auto size = static_cast<std::int64_t>(bytes.size());
    program_.constants.push_back({std::move(bytes)});
    return buffer(fixed(Space::constant, index, size), type);
}

bool Memory::same_place(BufferId a, BufferId b) const {
    const Buffer& x = program_.buffers[a];
    const Buffer& y = program_.buffers[b];
    return a == b || (storage_of_[a] == storage_of_[b] && x.offset == y.offset && x.strides == y.strides &&
                      x.bytes() == y.bytes());
}

bool Memory::writable(BufferId id) const {
    const Storage& storage = storages_[storage_of_[id]];
    return storage.donated || (storage.space != Space::argument && storage.space != Space::constant);
}

namespace {

template <class Fn>
void each_buffer(Steps& steps, Fn fn) {
    for (Step& step : steps) {
        for (BufferId& id : step.buffers) fn(id);
        for (Steps& children : step.children) each_buffer(children, fn);
    }
}

} // namespace

void Memory::drop_unused() {
    constexpr BufferId unused = 0xFFFFFFFFU;
    std::vector<BufferId> renamed(program_.buffers.size(), unused);
    const auto all = [&](auto fn) {
        for (BufferId& id : program_.arguments) fn(id);
        for (BufferId& id : program_.results) fn(id);
        each_buffer(program_.steps, fn);
    };
    all([&](BufferId id) { renamed[id] = 0; });
    std::vector<Buffer> kept;
    for (BufferId id = 0; id < renamed.size(); ++id) {
        if (renamed[id] == unused) continue;
        renamed[id] = static_cast<BufferId>(kept.size());
        kept.push_back(std::move(program_.buffers[id]));
    }
    all([&](BufferId& id) { id = renamed[id]; });
    program_.buffers = std::move(kept);
}

} // namespace pm::plan
