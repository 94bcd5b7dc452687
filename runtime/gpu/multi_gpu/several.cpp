#include "runtime/gpu/multi_gpu/several_gpus.hpp"

#include "runtime/gpu/libraries/products.hpp"

#include "runtime/failure.hpp"

#include <algorithm>
#include <bit>

namespace pm::runtime {
namespace {

constexpr std::size_t part_alignment = 256;

} // namespace

std::byte* SeveralGpus::allocate(std::size_t bytes) {
    // Memory is allocated at the first use. A size that all GPUs together could not hold is refused at once.
    if (bytes > total_)
        throw Failure(FailureKind::out_of_memory,
                      fmt::format("the GPUs have {} bytes, and {} are needed", total_, bytes));
    const std::size_t whole = (std::max<std::size_t>(bytes, 1) + part_alignment - 1) / part_alignment * part_alignment;
    const std::scoped_lock lock(mutex_);
    const std::uintptr_t begin = next_;
    allocations_.try_emplace(begin, whole, gpus_.size()).first->second.reserved =
        whole >= gpus_.front()->least_reserved();
    next_ += whole + part_alignment;
    return reinterpret_cast<std::byte*>(begin);
}

void SeveralGpus::release(std::byte* block) noexcept {
    const std::scoped_lock lock(mutex_);
    const auto found = allocations_.find(reinterpret_cast<std::uintptr_t>(block));
    if (found == allocations_.end()) return;
    const Allocation& a = found->second;
    for (std::size_t g = 0; g < gpus_.size(); ++g) {
        if (a.on[g] == nullptr) continue;
        if (a.reserved)
            gpus_[g]->give_up(a.on[g]);
        else
            gpus_[g]->release(a.on[g]);
    }
    allocations_.erase(found);
}

SeveralGpus::Part SeveralGpus::Operation::part(const void* address, std::size_t bytes) {
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    if (const auto after = all_.allocations_.upper_bound(number); after != all_.allocations_.begin()) {
        auto& [first, allocation] = *std::prev(after);
        const std::size_t begin = number - first, end = allocation.where.bytes();
        if (begin <= end && bytes <= end - begin) {
            return parts_.emplace_back(Part{&allocation, begin, begin + bytes});
        }
    }
    throw Failure(FailureKind::device_failed, "memory that is no GPU's was named");
}

std::byte* SeveralGpus::memory_on(int number, Allocation& a) {
    std::byte*& at = a.on[static_cast<std::size_t>(number)];
    if (at == nullptr) at = a.reserved ? gpu(number).reserve(a.where.bytes()) : gpu(number).allocate(a.where.bytes());
    a.used[static_cast<std::size_t>(number)] = ++uses_;
    current_->pin(a, number);
    return at;
}

/// Frees memory of the allocation on GPU `number`, if no operation uses it and other GPUs have its values too. Returns
/// an upper bound of the number of freed bytes.
std::size_t SeveralGpus::give_back(int number, Allocation& a, bool at_home) {
    std::byte*& at = a.on[static_cast<std::size_t>(number)];
    const std::size_t all = a.where.bytes();
    const auto may_free = [&](Stretch s) {
        const std::size_t end = std::min(s.to, all);
        return a.where.is_redundant(s.from, end, number, at_home) &&
               std::ranges::none_of(in_progress_, [&](const Operation* o) {
                   return (o == current_ || o->pins(a, number)) && o->names(a, {s.from, end});
               });
    };
    if (may_free({0, all}) &&
        std::ranges::none_of(in_progress_, [&](const Operation* o) { return o->pins(a, number); })) {
        if (a.reserved)
            gpu(number).give_up(at);
        else
            gpu(number).release(at);
        at = nullptr;
        a.where.dropped(0, all, number);
        return all;
    }
    if (!a.reserved) return 0;
    std::size_t bytes = 0;
    for (const auto& [from, to] : gpu(number).give_back(at, may_free)) {
        a.where.dropped(from, std::min(to, all), number);
        bytes += to - from;
    }
    return bytes;
}

/// If possible, frees `bytes` bytes or more of memory that no operation uses. Frees copies of values whose home is
/// another GPU. If there are no such copies, frees values whose home is this GPU and that other GPUs have too. Begins
/// with the least recently used allocations. Returns false if nothing was freed.
bool SeveralGpus::give_copies_back(int number, std::size_t bytes) {
    const auto g = static_cast<std::size_t>(number);
    std::vector<Allocation*> there;
    for (auto& [address, a] : allocations_)
        if (a.on[g] != nullptr) there.push_back(&a);
    std::ranges::sort(there, {}, [&](const Allocation* a) { return a->used[g]; });
    std::size_t given = 0;
    for (const bool at_home : {false, true})
        for (Allocation* a : there)
            if (given < bytes && (given == 0 || !at_home)) given += give_back(number, *a, at_home);
    return given > 0;
}

/// Makes sure that the part has memory on the GPU, and returns its address there.
std::byte* SeveralGpus::touched(int number, const Part& part) {
    const std::size_t bytes = part.of->reserved ? part.end - part.begin : part.of->where.bytes();
    const std::uint64_t before = gpu(number).users().ended();
    do {
        try {
            std::byte* at = memory_on(number, *part.of) + part.begin;
            if (part.of->reserved) gpu(number).touch(at, part.end - part.begin);
            return at;
        } catch (const Failure& failure) {
            if (failure.kind() != FailureKind::out_of_memory) throw;
        }
    } while (give_copies_back(number, bytes));
    const Gpu& full = gpu(number);
    throw Full(Failure(FailureKind::out_of_memory,
                       fmt::format("GPU {} of {} has no memory for {} bytes: {} of {} are free", number, gpus_.size(),
                                   bytes, full.free_memory(), full.memory())),
               number, before);
}

/// The GPU of `on` from which GPU `number` copies a value. If a value is copied to all GPUs, the copies form a tree if
/// possible: first from GPU 0 to GPU 1, then from GPUs 0..1 to GPUs 2..3, then from GPUs 0..3 to GPUs 4..7, and so on.
int SeveralGpus::nearest(GpuSet on, int number) const {
    if (on.has(number)) return number;
    const int before = number ^ static_cast<int>(std::bit_floor(static_cast<unsigned>(number)));
    return on.has(before) ? before : on.least();
}

/// Adds the transfers that are needed to read the part on that GPU.
void SeveralGpus::need(int number, const Part& part, std::vector<Transfer>& transfers) {
    if (part.of->where.readable(part.begin, part.end, number)) return;
    for (const Residency::Piece& piece : part.of->where.within(part.begin, part.end))
        if (!piece.on.empty() && !piece.on.has(number))
            transfers.push_back({nearest(piece.on, number), {part.of, piece.begin, piece.end}});
}

/// Returns the address of a part that work of the GPU accesses, and adds the access to `effects`.
std::byte* SeveralGpus::use(int number, const Part& part, std::int64_t mode, Effects& effects) {
    std::byte* const at = touched(number, part);
    if ((mode & MemoryAccess::reads) != 0) need(number, part, effects.transfers);
    if ((mode & MemoryAccess::writes) != 0) effects.written.push_back(part);
    return at;
}

/// Records the effects of work. Must be called after the work is queued. If only later work of the program uses the
/// results, note() may also be called before the work is queued.
void SeveralGpus::note(int number, const Effects& effects) {
    for (const Part& part : effects.written) part.of->where.written(part.begin, part.end, number);
}

/// Calls `copies`, which queues copies from GPU `source` to GPU `number`. They are in the queue of `source`, after the
/// work that computed the values. The copies wait for work of GPU `number` that may still use the target memory. Later
/// work of GPU `number` waits for the copies. If a copy cannot be queued, later work waits for those copies that have
/// been queued.
template <class Copies>
void SeveralGpus::across(int source, int number, const Copies& copies) {
    gpu(source).wait_for_work_of(gpu(number));
    try {
        copies();
        gpu(number).wait_for_work_of(gpu(source));
    } catch (...) {
        try {
            gpu(number).wait_for_work_of(gpu(source));
        } catch (...) {
            gpu(source).wait();
        }
        throw;
    }
}

void SeveralGpus::bring(int number, const std::vector<Transfer>& transfers) {
    const auto wanted = [&](const Transfer& t) { return !t.part.of->where.readable(t.part.begin, t.part.end, number); };
    for (int source = 0; source < static_cast<int>(gpus_.size()); ++source) {
        const auto here = [&](const Transfer& t) { return t.from == source && wanted(t); };
        if (std::ranges::none_of(transfers, here)) continue;
        across(source, number, [&] {
            for (const Transfer& t : transfers)
                if (here(t)) {
                    const Part& part = t.part;
                    gpu(source).copy_to(gpu(number), touched(number, part), memory_on(source, *part.of) + part.begin,
                                        part.end - part.begin);
                    part.of->where.copied(part.begin, part.end, number);
                }
        });
    }
}

void SeveralGpus::send(int source, int number, std::byte* to, const Part& part) {
    across(source, number, [&] {
        gpu(source).copy_to(gpu(number), to, memory_on(source, *part.of) + part.begin, part.end - part.begin);
    });
}

void SeveralGpus::put(int number, const Part& part, const std::byte* from) {
    if (part.begin == part.end) return;
    gpu(number).upload(touched(number, part), from, part.end - part.begin);
    part.of->where.written(part.begin, part.end, number);
}

void SeveralGpus::upload(int number, std::byte* to, const void* from, std::size_t bytes) {
    operate(for_a_moment(),
            [&](Operation& operation) { put(number, operation.part(to, bytes), static_cast<const std::byte*>(from)); });
}

void SeveralGpus::upload(std::byte* to, const void* from, std::size_t bytes) {
    if (bytes < least_spread) return upload(0, to, from, bytes);
    const auto end_of = [&](std::size_t g) {
        const std::size_t end = bytes / gpus_.size() * g + bytes % gpus_.size() * g / gpus_.size();
        return g == gpus_.size() ? bytes : end / part_alignment * part_alignment;
    };
    operate(for_a_moment(), [&](Operation& operation) {
        const Part all = operation.part(to, bytes);
        for (std::size_t g = 0; g < gpus_.size(); ++g)
            put(static_cast<int>(g), {all.of, all.begin + end_of(g), all.begin + end_of(g + 1)},
                static_cast<const std::byte*>(from) + end_of(g));
    });
}

void SeveralGpus::download(int number, void* to, const std::byte* from, std::size_t bytes) {
    struct Download {
        Gpu* gpu;
        const std::byte* from;
        std::size_t at;
        std::size_t bytes;
    };
    std::vector<Download> pieces;
    Operation operation(*this);
    const Part all = operation.part(from, bytes);
    for (const Residency::Piece& piece : all.of->where.within(all.begin, all.end)) {
        if (piece.on.empty()) continue; // the bytes are undefined
        const int on = nearest(piece.on, number);
        pieces.push_back(
            {&gpu(on), memory_on(on, *all.of) + piece.begin, piece.begin - all.begin, piece.end - piece.begin});
    }
    operation.unlock(); // without the lock, other threads may copy the bytes that are read here to more GPUs
    for (const Download& piece : pieces)
        piece.gpu->download(static_cast<std::byte*>(to) + piece.at, piece.from, piece.bytes);
    if (DeviceCollectives* const used = used_collectives_) used->throw_if_failed();
}

/// Calls f(piece, part of the target) for each piece of the source that has a value. The part is the place to which the
/// piece is copied.
void SeveralGpus::each_piece(Operation& operation, std::byte* to, const std::byte* from, std::size_t bytes,
                             const std::function<void(const Piece& from, const Part& to)>& f) {
    const Part source = operation.part(from, bytes), target = operation.part(to, bytes);
    for (const Residency::Piece& piece : source.of->where.within(source.begin, source.end)) {
        if (piece.on.empty()) continue; // the bytes are undefined
        const std::size_t begin = target.begin + (piece.begin - source.begin);
        f({{source.of, piece.begin, piece.end}, piece.on}, {target.of, begin, begin + (piece.end - piece.begin)});
    }
}

void SeveralGpus::copy_on(int number, const Part& to, const Part& from) {
    gpu(number).copy(touched(number, to), memory_on(number, *from.of) + from.begin, from.end - from.begin);
    to.of->where.written(to.begin, to.end, number);
}

/// Copies each piece of the source within a GPU that has the piece.
void SeveralGpus::copy(std::byte* to, const std::byte* from, std::size_t bytes) {
    operate(for_a_moment(), [&](Operation& operation) {
        each_piece(operation, to, from, bytes,
                   [&](const Piece& piece, const Part& there) { copy_on(piece.on.least(), there, piece.part); });
    });
}

/// Copies all bytes to memory of GPU `number`.
void SeveralGpus::copy(int number, std::byte* to, const std::byte* from, std::size_t bytes) {
    operate(for_a_moment(), [&](Operation& operation) {
        each_piece(operation, to, from, bytes, [&](const Piece& piece, const Part& there) {
            if (piece.on.has(number)) return copy_on(number, there, piece.part);
            const int source = nearest(piece.on, number);
            std::byte* const target = touched(number, there);
            send(source, number, target, piece.part);
            there.of->where.written(there.begin, there.end, number);
        });
    });
}

void SeveralGpus::clear(int number, std::byte* to, std::size_t bytes) {
    if (bytes == 0) return;
    operate(for_a_moment(), [&](Operation& operation) {
        const Part place = operation.part(to, bytes);
        gpu(number).clear(touched(number, place), bytes);
        place.of->where.written(place.begin, place.end, number);
    });
}

void SeveralGpus::store(int number, std::byte* to, std::uint64_t value, int width) {
    operate(for_a_moment(), [&](Operation& operation) {
        const Part place = operation.part(to, static_cast<std::size_t>(width));
        gpu(number).store(touched(number, place), value, width);
        place.of->where.written(place.begin, place.end, number);
    });
}

void SeveralGpus::launch(int number, const Launch& l) {
    const std::function<bool()> moment = l.leave == nullptr ? for_a_moment() : nullptr;
    operate(l.leave == nullptr ? moment : *l.leave, [&](Operation& operation) { launch(operation, number, l); });
}

void SeveralGpus::launch(Operation& operation, int number, const Launch& l) {
    const auto& kernel = *static_cast<const SeveralKernels::Kernel*>(l.kernel);
    std::vector<void*> buffers(l.buffers.begin(), l.buffers.end());
    Effects effects;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const MemoryAccess* touch = l.accesses == nullptr ? nullptr : l.accesses + i;
        if (touch != nullptr && (touch->mode == MemoryAccess::nothing || touch->bytes == 0 || touch->count == 0))
            continue;
        const Part first = operation.part(buffers[i], 0);
        if (touch == nullptr) use(number, operation.whole(first), MemoryAccess::changes, effects);
        for (std::int64_t p = 0; touch != nullptr && p < touch->count; ++p)
            use(number,
                operation.part(static_cast<std::byte*>(buffers[i]) + touch->offset + p * touch->stride,
                               static_cast<std::size_t>(touch->bytes)),
                touch->mode, effects);
        buffers[i] = memory_on(number, *first.of) + first.begin;
    }
    bring(number, effects.transfers);
    Launch here = l;
    here.kernel = kernel.all->on(static_cast<std::size_t>(number))[kernel.number];
    here.buffers = buffers;
    if (l.stop != nullptr)
        here.stop = static_cast<const SeveralStops*>(l.stop)->on(static_cast<std::size_t>(number)).address();
    gpu(number).launch(here);
    note(number, effects);
}

bool SeveralGpus::multiply(int number, const ProductSpec& spec, const ProductOperands& operands,
                           const std::function<bool()>& leave) {
    if (!library_multiplies(spec)) return false;
    return operate(leave, [&](Operation& operation) { return multiply(operation, number, spec, operands, leave); });
}

bool SeveralGpus::multiply(Operation& operation, int number, const ProductSpec& spec, const ProductOperands& operands,
                           const std::function<bool()>& leave) {
    Effects effects;
    const ProductBytes bytes = product_bytes(spec);
    const auto place = [&](const std::byte* operand, std::size_t size, std::int64_t mode) -> std::byte* {
        return size == 0 ? nullptr : use(number, operation.part(operand, size), mode, effects);
    };
    const auto dense = static_cast<std::size_t>(spec.batch * spec.m * spec.n) * size_of(spec.out);
    const ProductOperands there{
        place(operands.a, bytes.a, MemoryAccess::reads), place(operands.b, bytes.b, MemoryAccess::reads),
        place(operands.bias, bytes.bias, MemoryAccess::reads), place(operands.added, bytes.added, MemoryAccess::reads),
        place(operands.out, bytes.out, bytes.out == dense ? MemoryAccess::writes : MemoryAccess::changes)};
    bring(number, effects.transfers);
    operation.unlock(number); // multiply() below may wait, and only this lane uses the result
    if (!gpu(number).multiply(spec, there, leave)) return false;
    operation.lock();
    note(number, effects);
    return true;
}

bool SeveralGpus::with_addresses(int number, void* const* buffers, std::span<const std::size_t> bytes,
                                 std::size_t operands, const std::function<bool()>& leave,
                                 const std::function<bool(void* const* there)>& f) {
    return operate(leave, [&](Operation& operation) {
        Effects effects;
        std::vector<void*> there;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            there.push_back(use(number, operation.part(buffers[i], bytes[i]),
                                i < operands ? MemoryAccess::reads : MemoryAccess::writes, effects));
        bring(number, effects.transfers);
        note(number, effects); // only later work of the program reads the results
        operation.unlock(number);
        return f(there.data());
    });
}

DeviceCollectives* SeveralGpus::collectives() {
    std::call_once(collectives_opened_, [this] {
        collectives_ = open_collectives_ ? open_collectives_() : nullptr;
        used_collectives_ = collectives_.get();
    });
    return collectives_.get();
}

bool SeveralGpus::all_reduce(const AllReduceSpec& spec, const std::byte* in, std::byte* out,
                             const std::function<bool()>& leave) {
    if (spec.lanes != static_cast<std::int64_t>(gpus_.size())) return false;
    const auto bytes = static_cast<std::ptrdiff_t>(spec.bytes());
    for (std::int64_t lane = 0; lane < spec.lanes; ++lane) {
        const std::byte *from = in + lane * spec.in_stride, *to = out + lane * spec.out_stride;
        if (from != to && from < to + bytes && to < from + bytes) return false;
    }
    DeviceCollectives* const library = collectives();
    if (library == nullptr) return false;
    do { // waits for room without the lock
        if (!library->make_room(leave)) return false;
    } while (!operate(leave, [&](Operation& operation) { return all_reduced(operation, *library, spec, in, out); }));
    return true;
}

/// Called with the lock. So all GPUs queue work of another thread before the reduction, or all GPUs queue that work
/// after the reduction.
bool SeveralGpus::all_reduced(Operation& operation, DeviceCollectives& library, const AllReduceSpec& spec,
                              const std::byte* in, std::byte* out) {
    std::vector<Part> written;
    std::vector<const std::byte*> sources;
    std::vector<std::byte*> targets;
    for (int number = 0; number < static_cast<int>(gpus_.size()); ++number) {
        Effects effects;
        sources.push_back(
            use(number, operation.part(in + number * spec.in_stride, spec.bytes()), MemoryAccess::reads, effects));
        bring(number, effects.transfers);
        written.push_back(operation.part(out + number * spec.out_stride, spec.bytes()));
        targets.push_back(touched(number, written.back()));
    }
    if (!library.all_reduce(spec, sources, targets)) return false;
    for (int number = 0; number < static_cast<int>(gpus_.size()); ++number) {
        const auto& [of, begin, end] = written[static_cast<std::size_t>(number)];
        if (number == 0 || spec.out_stride != 0)
            of->where.written(begin, end, number);
        else
            of->where.copied(begin, end, number);
    }
    return true;
}

std::shared_ptr<Device> make_several(std::vector<std::shared_ptr<Gpu>> gpus, OpenCollectives open) {
    return std::make_shared<SeveralGpus>(std::move(gpus), std::move(open));
}

} // namespace pm::runtime
