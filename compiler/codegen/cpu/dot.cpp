#include "compiler/codegen/cpu/dot.hpp"

#include "compiler/codegen/cpu/dot_pack.hpp"
#include "compiler/codegen/cpu/dot_tile.hpp"
#include "compiler/codegen/nest/emit_nest.hpp"
#include "compiler/codegen/scalar/integer.hpp"
#include "compiler/codegen/steps/parallel.hpp"

#include <algorithm>

namespace pm::codegen {
namespace {

class DotEmitter {
  public:
    DotEmitter(Emit& e, const plan::Step& step, const plan::Program& program, Value* call,
               llvm::ArrayRef<Value*> buffers, std::string name)
        : e_(e), step_(step), s_(dot_sizes(step)), call_(call), buffers_(buffers.begin(), buffers.end()),
          name_(std::move(name)) {
        in_ = program.buffers[step.buffers[0]].dtype;
        out_ = program.buffers[step.buffers[2]].dtype;
        const bool half = runtime::is_half(in_);
        sum_ = dot_sum(in_);
        tile_ = choose_tile(e.machine, s_, sum_);
        width_ = static_cast<std::int64_t>(runtime::size_of(sum_));
        // The tile is stored directly to the result if the result has the dtype of the sums and contiguous rows.
        // Otherwise an epilogue stores the tile.
        if (step.nest)
            after_ = *step.nest;
        else if (out_ != sum_ || s_.out_n != 1)
            after_ = store_nest(s_, out_);
        if (after_) after_shape_ = shape_points(*after_, e.machine);
        in_place_ = small_dot(step, program);
        // Rows of a large b are far apart in memory, so packing saves time. Measured for k = 1000 and n = 6400 of f64:
        // without packing, m = 8 takes 13.4 ms and m = 64 takes 115 ms. With packing they take 8.0 and 17 ms. If b is
        // smaller than 1 MB (k = n = 256), packing takes 1.5 times the time that it saves.
        const bool large = s_.m >= 8 && s_.k * s_.n * width_ > (std::int64_t{1} << 20);
        pack_b_ = !in_place_ && (half || (s_.b_n != 1 && s_.n > 1) || large);
        pack_a_ = half || (!in_place_ && s_.a_k != 1 && s_.m >= 8 && s_.k >= 16 && s_.n > 2 * tile_.columns());
    }

    void run() {
        if (s_.batch == 0 || s_.m == 0 || s_.n == 0) return;
        panels_ = ceil_div(s_.n, tile_.columns());
        const std::int64_t panel_bytes = s_.k * tile_.columns() * width_;
        group_ = std::clamp<std::int64_t>((std::int64_t{512} << 10) / std::max<std::int64_t>(1, panel_bytes), 1, 8);
        if (!step_.parallel) group_ = pack_b_ ? group_ : panels_;
        constexpr std::int64_t enough = 8;
        while (step_.parallel && group_ > 1 && s_.batch * ceil_div(panels_, group_) < enough) --group_;
        group_ = std::min(group_, panels_);
        groups_ = ceil_div(panels_, group_);
        blocks_ = 1;
        if (step_.parallel && s_.batch * groups_ < enough)
            blocks_ = std::min(ceil_div(s_.m, 64), ceil_div(enough, s_.batch * groups_));
        block_rows_ = ceil_div(ceil_div(s_.m, blocks_), tile_.rows) * tile_.rows;
        blocks_ = ceil_div(s_.m, block_rows_);
        const std::int64_t tasks = s_.batch * groups_ * blocks_;
        tile_cost_ = static_cast<double>(s_.k) * tile_.rows * tile_.vectors;
        rows_cost_ = tile_cost_ * static_cast<double>(group_);
        if (!step_.parallel || tasks == 1) {
            const double cost = rows_cost_ * static_cast<double>(block_rows_ / tile_.rows);
            e_.polled_loop(e_.int64(0), e_.int64(tasks), 1, cost, tasks, [&](Value* task) { run_task(task); });
            return;
        }
        std::vector<Value*> outer = buffers_;
        emit_parallel(e_, name_ + "_task", call_, e_.int64(tasks), outer,
                      [&](Value* call, Value* task, llvm::ArrayRef<Value*> inner) {
                          Value* const outside = call_;
                          call_ = call;
                          buffers_.assign(inner.begin(), inner.end());
                          run_task(task);
                          call_ = outside;
                      });
        buffers_ = outer;
    }

  private:
    /// Computes the part of the product that belongs to one task: one batch element, one group of column panels and one
    /// block of rows.
    void run_task(Value* task) {
        Value* block = digit(task, blocks_);
        Value* group = digit(task, groups_);
        Value* batch = task;
        const auto in_width = static_cast<std::int64_t>(runtime::size_of(in_));
        a_ = e_.byte_offset(buffers_[0], e_.mul(batch, s_.a_b * in_width));
        b_ = e_.byte_offset(buffers_[1], e_.mul(batch, s_.b_b * in_width));
        const std::int64_t b_bytes = pack_b_ ? (group_ * s_.k + pack_slack) * tile_.columns() * width_ : 0;
        const std::int64_t a_bytes = pack_a_ ? (s_.k + pack_slack) * tile_.rows * width_ : 0;
        const auto work = [&](Value* scratch) {
            if (pack_b_) packed_b_ = scratch;
            if (pack_a_) packed_a_ = e_.byte_offset(scratch, b_bytes);
            Value* first = e_.mul(group, group_);
            Value* last = e_.call(llvm::Intrinsic::smin, {e_.i64()},
                                  {e_.b.CreateAdd(first, e_.int64(group_)), e_.int64(panels_)});
            if (pack_b_)
                e_.polled_loop(first, last, 1, static_cast<double>(s_.k * tile_.columns()), group_,
                               [&](Value* panel) { pack_panel(panel, e_.b.CreateSub(panel, first)); });
            rows(batch, block, first, last);
        };
        const std::int64_t bytes = a_bytes + b_bytes;
        if (bytes == 0) {
            work(nullptr);
            return;
        }
        Value* scratch = e_.call_symbol("pm_scratch", e_.pointer(), {call_, e_.int64(bytes)});
        e_.when(e_.b.CreateIsNotNull(scratch), [&] {
            work(scratch);
            e_.call_symbol("pm_scratch_free", e_.b.getVoidTy(), {call_, scratch, e_.int64(bytes)});
        });
    }

    Value* digit(Value*& number, std::int64_t base) {
        Value* low = e_.b.CreateURem(number, e_.int64(base));
        number = e_.b.CreateUDiv(number, e_.int64(base));
        return low;
    }

    void pack_panel(Value* panel, Value* place) {
        const auto in_width = static_cast<std::int64_t>(runtime::size_of(in_));
        Value* from = e_.byte_offset(b_, e_.mul(panel, tile_.columns() * s_.b_n * in_width));
        Value* to = e_.byte_offset(packed_b_, e_.mul(place, s_.k * tile_.columns() * width_));
        const PackSizes sizes{in_, sum_, s_.k, tile_.columns(), s_.b_k, s_.b_n};
        const std::int64_t rest = s_.n % tile_.columns();
        with_rest(
            panel, panels_ - 1, rest, [&](std::int64_t present) { emit_pack(e_, sizes, present, from, to); },
            tile_.columns());
    }

    void pack_rows(Value* m, Value* from) {
        const PackSizes sizes{in_, sum_, s_.k, tile_.rows, s_.a_k, s_.a_m};
        const std::int64_t rest = s_.m % tile_.rows;
        with_rest(
            m, s_.m - rest, rest, [&](std::int64_t present) { emit_pack(e_, sizes, present, from, packed_a_); },
            tile_.rows);
    }

    /// Emits the code for a full panel of columns or rows. If the last panel is not full, emits a second version for
    /// that panel.
    void with_rest(Value* at, std::int64_t last, std::int64_t rest, const std::function<void(std::int64_t)>& make,
                   std::int64_t whole) {
        if (rest == 0) {
            make(whole);
            return;
        }
        Value* is_last = e_.b.CreateICmpEQ(at, e_.int64(last));
        e_.when(e_.b.CreateNot(is_last), [&] { make(whole); });
        e_.when(is_last, [&] { make(rest); });
    }

    void rows(Value* batch, Value* block, Value* first, Value* last) {
        Value* begin = e_.mul(block, block_rows_);
        Value* end =
            e_.call(llvm::Intrinsic::smin, {e_.i64()}, {e_.b.CreateAdd(begin, e_.int64(block_rows_)), e_.int64(s_.m)});
        const auto in_width = static_cast<std::int64_t>(runtime::size_of(in_));
        if (after_)
            buffer_ = e_.slot(llvm::ArrayType::get(e_.b.getInt8Ty(),
                                                   static_cast<std::uint64_t>(tile_.rows * tile_.columns() * width_)),
                              "tile", 64);
        e_.polled_loop(begin, end, tile_.rows, rows_cost_, block_rows_ / tile_.rows, [&](Value* m) {
            Value* a = e_.byte_offset(a_, e_.mul(m, s_.a_m * in_width));
            if (pack_a_) pack_rows(m, a);
            Value* left = s_.m % tile_.rows == 0 ? nullptr : least(e_.b.CreateSub(end, m), tile_.rows);
            e_.polled_loop(first, last, 1, tile_cost_, group_, [&](Value* panel) {
                tile(batch, m, left, panel, e_.b.CreateSub(panel, first), pack_a_ ? packed_a_ : a);
            });
        });
    }

    Value* least(Value* count, std::int64_t most) {
        return e_.call(llvm::Intrinsic::smin, {e_.i64()}, {count, e_.int64(most)});
    }

    void tile(Value* batch, Value* m, Value* rows, Value* panel, Value* place, Value* a) {
        const std::int64_t columns = tile_.columns();
        Value* n = e_.mul(panel, columns);
        Value* left = s_.n % columns == 0 ? nullptr : least(e_.b.CreateSub(e_.int64(s_.n), n), columns);
        TileOperands at{};
        at.a = a;
        at.a_row = pack_a_ ? width_ : s_.a_m * width_;
        at.a_step = pack_a_ ? tile_.rows * width_ : s_.a_k * width_;
        at.b = pack_b_ ? e_.byte_offset(packed_b_, e_.mul(place, s_.k * columns * width_))
                       : e_.byte_offset(b_, e_.mul(n, s_.b_n * width_));
        at.b_step = pack_b_ ? columns * width_ : s_.b_k * width_;
        at.b_column = pack_b_ || s_.n == 1 ? 1 : s_.b_n;
        at.mask_b = !pack_b_;
        at.rows = rows;
        at.columns = left;
        if (after_) {
            at.c = buffer_;
            at.c_row = columns * width_;
            at.columns = at.mask_b ? left : nullptr;
        } else {
            Value* to = e_.byte_offset(buffers_[2], e_.mul(batch, s_.out_b * width_));
            to = e_.byte_offset(to, e_.mul(m, s_.out_m * width_));
            at.c = e_.byte_offset(to, e_.mul(n, width_));
            at.c_row = s_.out_m * width_;
        }
        if (step_.nest && !in_place_) fetch(batch, m, n);
        multiply(at);
        if (after_) finish(batch, m, rows, n, left);
    }

    /// The epilogue reads rows of other arrays for this tile. Prefetches these rows, so that they are loaded while the
    /// tile is summed. The hardware prefetcher does not find these rows: they are far apart, and the reads of each row
    /// are short.
    void fetch(Value* batch, Value* m, Value* n) {
        constexpr std::int64_t line = 64;
        for (const nest::Ref ref : after_->stages.front().body) {
            const nest::Inst& load = (*after_)[ref];
            const nest::Affine& at = load.access.offset;
            if (load.op != nest::ScalarOp::load || load.access.buffer == 0 || load.access.dynamic || load.access.mask ||
                at.coefficient(1) == 0 || at.coefficient(2) != 1)
                continue;
            const auto width = static_cast<std::int64_t>(runtime::size_of(load.dtype));
            Value* first = e_.add(e_.mul(batch, at.coefficient(0)), e_.mul(m, at.coefficient(1)));
            first = e_.b.CreateAdd(e_.add(first, n), e_.int64(at.base));
            Value* from = e_.byte_offset(buffers_[load.access.buffer + 2], e_.mul(first, width));
            for (std::int64_t row = 0; row < tile_.rows; ++row)
                for (std::int64_t byte = 0; byte < tile_.columns() * width; byte += line)
                    e_.call(llvm::Intrinsic::prefetch, {e_.pointer()},
                            {e_.byte_offset(from, row * at.coefficient(1) * width + byte), e_.b.getInt32(0),
                             e_.b.getInt32(3), e_.b.getInt32(1)});
        }
    }

    /// Emits the tile's code inline if `in_place_` is true. Otherwise emits it once, as a function, and calls this
    /// function. The function's first argument is the call, as in every function that polls.
    void multiply(TileOperands at) {
        if (in_place_) {
            emit_tile(e_, sum_, tile_, s_.k, at);
            return;
        }
        Value* none = e_.int64(0);
        std::vector<Value*> arguments{
            call_, at.a, at.b, at.c, at.rows != nullptr ? at.rows : none, at.columns != nullptr ? at.columns : none};
        const std::string name = name_ + "_tile";
        if (e_.module.getFunction(name) == nullptr) {
            auto* type = llvm::FunctionType::get(
                e_.b.getVoidTy(), {e_.pointer(), e_.pointer(), e_.pointer(), e_.pointer(), e_.i64(), e_.i64()}, false);
            const Emit::Place place = e_.leave();
            llvm::Function* made = e_.begin_function(name, type, true);
            made->addFnAttr(llvm::Attribute::NoInline);
            at.a = made->getArg(1);
            at.b = made->getArg(2);
            at.c = made->getArg(3);
            if (at.rows != nullptr) at.rows = made->getArg(4);
            if (at.columns != nullptr) at.columns = made->getArg(5);
            emit_tile(e_, sum_, tile_, s_.k, at);
            e_.b.CreateRetVoid();
            e_.end_function();
            e_.resume(place);
        }
        e_.b.CreateCall(e_.module.getFunction(name), arguments);
    }

    /// Runs the epilogue on the tile.
    void finish(Value* batch, Value* m, Value* rows, Value* n, Value* columns) {
        std::vector<Value*> buffers{buffer_};
        if (step_.nest)
            buffers.insert(buffers.end(), buffers_.begin() + 3, buffers_.end());
        else
            buffers.push_back(buffers_[2]);
        NestBody body(e_, after_shape_, buffers);
        body.replace_loads([&](const Scope& scope, nest::Ref r) -> Value* {
            if (after_shape_.nest[r].access.buffer != 0) return nullptr;
            // A load of the product does not vary along a loop of extent 1, so it may be emitted before the scope
            // enters this loop.
            const auto place = [&](std::size_t loop, Value* begin) {
                return loop < scope.indices.size() ? e_.b.CreateSub(scope.indices[loop], begin) : e_.int64(0);
            };
            Value* element = e_.b.CreateAdd(e_.mul(place(1, m), tile_.columns()), place(2, n));
            Value* from = e_.byte_offset(buffer_, e_.mul(element, width_));
            llvm::Type* type = memory_type(e_, sum_, scope.lanes);
            const llvm::Align align(static_cast<std::uint64_t>(width_));
            Value* value = scope.mask == nullptr ? static_cast<Value*>(e_.b.CreateAlignedLoad(type, from, align))
                                                 : e_.b.CreateMaskedLoad(type, from, align, scope.mask,
                                                                         llvm::Constant::getNullValue(type));
            return convert(e_, after_->buffers[0].dtype, sum_, to_register(e_, sum_, value));
        });
        Value* m_end = e_.b.CreateAdd(m, rows != nullptr ? rows : e_.int64(tile_.rows));
        Value* n_end = e_.b.CreateAdd(n, columns != nullptr ? columns : e_.int64(tile_.columns()));
        emit_points(body, {batch, m, n}, {e_.b.CreateAdd(batch, e_.int64(1)), m_end, n_end},
                    columns == nullptr && tile_.columns() % after_shape_.lanes == 0);
    }

    Emit& e_;
    const plan::Step& step_;
    plan::DotStep s_;
    Value* call_;
    std::vector<Value*> buffers_;
    std::string name_;
    DType in_{};
    DType out_{};
    DType sum_{};
    TileShape tile_;
    std::int64_t width_ = 4;
    std::optional<nest::Nest> after_;
    NestShape after_shape_;
    bool in_place_ = false;
    bool pack_a_ = false;
    bool pack_b_ = false;
    double tile_cost_ = 1; ///< the approximate number of instructions of one tile
    double rows_cost_ = 1; ///< the approximate number of instructions of a task for all tiles of one group of rows
    std::int64_t panels_ = 1, group_ = 1, groups_ = 1, blocks_ = 1, block_rows_ = 1;
    Value* a_ = nullptr;
    Value* b_ = nullptr;
    Value* packed_a_ = nullptr;
    Value* packed_b_ = nullptr;
    Value* buffer_ = nullptr;
};

} // namespace

bool small_dot(const plan::Step& step, const plan::Program& program) {
    const plan::DotStep s = dot_sizes(step);
    const DType in = program.buffers[step.buffers[0]].dtype;
    if (step.parallel || runtime::is_half(in)) return false;
    return s.batch == 1 && s.m <= 8 && s.n <= 32 && s.m * s.n * s.k <= 16384;
}

double dot_work(const plan::Step& step) {
    const plan::DotStep s = dot_sizes(step);
    constexpr double products_at_once = 8;
    return static_cast<double>(s.batch) * static_cast<double>(s.m) * static_cast<double>(s.n) *
           static_cast<double>(s.k) / products_at_once;
}

void emit_dot(Emit& e, const plan::Step& step, const plan::Program& program, Value* call,
              llvm::ArrayRef<Value*> buffers, const std::string& name) {
    DotEmitter(e, step, program, call, buffers, name).run();
}

} // namespace pm::codegen
