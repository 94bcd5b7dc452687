#include "compiler/base/check.hpp"
#include "compiler/base/stop.hpp"
#include "compiler/plan/memory/memory.hpp"

#include <algorithm>
#include <limits>

// Computes the addresses of temporaries. Steps are numbered in program order. A storage is live from its first to its
// last use. If a storage is used inside and outside of a loop, it is live through the whole loop. A `lanes` step counts
// as a loop here, because its lanes do not run in lockstep. During a `lanes` step each lane has a range of the arena
// (`frames_`) for the storages that only this step uses.

namespace pm::plan {
namespace {

constexpr std::int64_t alignment = 64;
constexpr std::int64_t most_local_bytes = 64;
constexpr std::int32_t none = -1;

std::int64_t aligned(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

struct Interval {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = -1;
    bool used() const { return last >= 0; }
    void include(std::int64_t position) {
        first = std::min(first, position);
        last = std::max(last, position);
    }
};

struct Life {
    Interval interval;
    std::int32_t lanes_step = none; ///< the only `lanes` step that uses the storage
    bool outside = false;           ///< true if the storage is used outside of `lanes` steps, or in several of them
    bool collective = false;
};

/// The positions of a step whose body runs many times, or in many lanes at once.
struct Extent {
    std::int64_t begin;
    std::int64_t end;
};

class Lives {
  public:
    Lives(const Memory& memory, std::size_t storages) : memory_(memory), lives(storages) {}

    void walk(const Steps& steps) {
        for (const Step& step : steps) {
            const std::int64_t begin = position_++;
            for (const BufferId id : step.buffers)
                touch(memory_.storage_of(id), begin, step.kind() == StepKind::collective);
            const bool is_lanes = step.kind() == StepKind::lanes;
            if (is_lanes) current_ = lanes_count++;
            for (const Steps& children : step.children) {
                walk(children);
                if (step.kind() != StepKind::while_ || &children != &step.children[0]) continue;
                // The loop reads its condition after the last step that computes the condition. So no storage of these
                // steps may share the bytes of the condition.
                for (const BufferId id : step.buffers) touch(memory_.storage_of(id), position_++, false);
            }
            const bool repeats = is_lanes || step.kind() == StepKind::loop || step.kind() == StepKind::while_;
            if (repeats) loops.push_back({begin, position_});
            if (is_lanes) {
                lanes_spans.push_back({begin, position_});
                current_ = none;
            }
            ++position_;
        }
    }

    /// Extends intervals over loops. Inner loops come before outer loops in `loops`, so one pass is enough.
    void extend() {
        for (const Extent& loop : loops) {
            poll_stop();
            for (Life& life : lives) {
                Interval& i = life.interval;
                if (!i.used() || i.last < loop.begin || i.first > loop.end) continue;
                if (i.first < loop.begin || i.last > loop.end) {
                    i.include(loop.begin);
                    i.include(loop.end);
                }
            }
        }
    }

    const Memory& memory_;
    std::vector<Life> lives;
    std::vector<Extent> loops;
    std::vector<Extent> lanes_spans;
    std::int32_t lanes_count = 0;

  private:
    void touch(StorageId id, std::int64_t position, bool collective) {
        Life& life = lives[id];
        life.collective = life.collective || collective;
        if (current_ == none || (life.interval.used() && life.lanes_step != current_)) life.outside = true;
        if (!life.interval.used()) life.lanes_step = current_;
        life.interval.include(position);
    }

    std::int64_t position_ = 0;
    std::int32_t current_ = none;
};

/// Gives each interval the lowest free offset. The intervals are processed in order of their starts.
class OffsetAssigner {
  public:
    struct Item {
        Interval interval;
        std::int64_t bytes;
        std::int64_t offset = 0;
    };

    std::int64_t place(std::vector<Item*> items) {
        std::sort(items.begin(), items.end(), [](const Item* a, const Item* b) {
            return a->interval.first != b->interval.first ? a->interval.first < b->interval.first : a->bytes > b->bytes;
        });
        std::vector<const Item*> active; // sorted by offset
        std::int64_t top = 0;
        for (Item* item : items) {
            poll_stop();
            std::erase_if(active, [&](const Item* other) { return other->interval.last < item->interval.first; });
            std::int64_t offset = 0;
            for (const Item* other : active) {
                if (offset + item->bytes <= other->offset) break;
                offset = std::max(offset, other->offset + other->bytes);
            }
            item->offset = offset;
            const auto after =
                std::find_if(active.begin(), active.end(), [&](const Item* other) { return other->offset > offset; });
            active.insert(after, item);
            top = std::max(top, offset + item->bytes);
        }
        return top;
    }
};

class Assigner {
  public:
    Assigner(Program& program, std::vector<Storage>& storages, const Memory& memory, bool locals)
        : program_(program), storages_(storages), makes_locals_(locals), all_(memory, storages.size()),
          items_(storages.size()), frame_of_(storages.size(), none) {
        all_.walk(program.steps);
        all_.extend();
        framed_.resize(static_cast<std::size_t>(all_.lanes_count));
    }

    void run() {
        for (StorageId s = 0; s < storages_.size(); ++s) sort_out(s);
        lay_out_frames();
        program_.arena_bytes = OffsetAssigner().place(global_);
        for (StorageId s = 0; s < storages_.size(); ++s) give_place(s);
    }

  private:
    bool is_private(StorageId s) const {
        const Life& life = all_.lives[s];
        return storages_[s].lanes != 0 && life.interval.used() && !life.outside && life.lanes_step != none;
    }

    bool overlaps_lanes_step(const Interval& i) const {
        return std::any_of(all_.lanes_spans.begin(), all_.lanes_spans.end(),
                           [&](const Extent& s) { return i.last >= s.begin && i.first <= s.end; });
    }

    /// True if the storage is a small buffer that only one thread uses.
    bool is_local(StorageId s) const {
        if (!makes_locals_) return false;
        const Storage& storage = storages_[s];
        const Life& life = all_.lives[s];
        if (storage.views.size() != 1 || storage.bytes > most_local_bytes || life.collective || !life.interval.used())
            return false;
        const Buffer& buffer = program_.buffers[storage.views[0]];
        if (!buffer.strides.empty() || buffer.offset != 0) return false;
        return is_private(s) || (storage.lanes == 0 && !overlaps_lanes_step(life.interval));
    }

    void sort_out(StorageId s) {
        Storage& storage = storages_[s];
        const Life& life = all_.lives[s];
        if (storage.space != Space::arena || !life.interval.used()) return;
        if (is_local(s)) {
            storage.space = Space::local;
            storage.index = locals_++;
            return;
        }
        OffsetAssigner::Item& item = items_[s];
        item.interval = life.interval;
        item.bytes = aligned(storage.bytes);
        if (is_private(s)) {
            frame_of_[s] = life.lanes_step;
            framed_[static_cast<std::size_t>(life.lanes_step)].push_back(s);
            return;
        }
        item.bytes *= std::max<std::int64_t>(1, storage.lanes);
        // The lanes of a step use the storage at different times. So the storage is live during the whole step.
        for (const Extent& span : all_.lanes_spans)
            if (item.interval.last >= span.begin && item.interval.first <= span.end) {
                item.interval.include(span.begin);
                item.interval.include(span.end);
            }
        global_.push_back(&item);
    }

    void lay_out_frames() {
        frames_.resize(framed_.size());
        pitch_.assign(framed_.size(), 0);
        for (std::size_t f = 0; f < framed_.size(); ++f) {
            std::vector<OffsetAssigner::Item*> items;
            std::int64_t lanes_ = 0;
            for (const StorageId s : framed_[f]) {
                items.push_back(&items_[s]);
                lanes_ = std::max(lanes_, storages_[s].lanes);
            }
            pitch_[f] = OffsetAssigner().place(items);
            frames_[f].interval.include(all_.lanes_spans[f].begin);
            frames_[f].interval.include(all_.lanes_spans[f].end);
            frames_[f].bytes = pitch_[f] * lanes_;
            if (frames_[f].bytes > 0) global_.push_back(&frames_[f]);
        }
    }

    void give_place(StorageId s) {
        const Storage& storage = storages_[s];
        const std::int32_t f = frame_of_[s];
        for (const BufferId id : storage.views) {
            Buffer& buffer = program_.buffers[id];
            buffer.space = storage.space;
            if (storage.space == Space::local) buffer.index = storage.index;
            if (storage.space != Space::arena) continue;
            buffer.offset += items_[s].offset + (f == none ? 0 : frames_[static_cast<std::size_t>(f)].offset);
            const bool stays = std::erase_if(buffer.strides, [](const Stride& s) { return s == Stride{lane, 0}; }) != 0;
            if (storage.lanes != 0 && !stays)
                buffer.strides.push_back(
                    {lane, f == none ? aligned(storage.bytes) : pitch_[static_cast<std::size_t>(f)]});
        }
    }

    Program& program_;
    std::vector<Storage>& storages_;
    bool makes_locals_;
    Lives all_;
    std::vector<OffsetAssigner::Item> items_;    ///< per storage
    std::vector<std::int32_t> frame_of_;         ///< per storage: the only `lanes` step that uses it, or `none`
    std::vector<std::vector<StorageId>> framed_; ///< storages per `lanes` step
    std::vector<OffsetAssigner::Item> frames_;
    std::vector<std::int64_t> pitch_; ///< per `lanes` step: the size in bytes of the range of one lane
    std::vector<OffsetAssigner::Item*> global_;
    std::uint32_t locals_ = 0;
};

} // namespace

void Memory::assign(bool locals) { Assigner(program_, storages_, *this, locals).run(); }

} // namespace pm::plan
