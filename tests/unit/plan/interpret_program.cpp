#include "tests/unit/plan/interpret_program.hpp"

#include "compiler/evaluate/evaluate.hpp"
#include "compiler/ir/text.hpp"
#include "runtime/element.hpp"
#include "runtime/gpu/device/convolutions.hpp"
#include "runtime/kernels/matrices.hpp"
#include "runtime/memory/tape.hpp"
#include "tests/unit/plan/interpret_nest.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <numeric>

namespace pm::plan::testing {
namespace {

using nest::Combine;
using nest::DType;
using nest::ScalarOp;
using runtime::Array;

class Machine {
  public:
    Machine(const Program& program, const std::vector<Array>& arguments)
        : p_(program), arguments_(arguments), arena_(static_cast<std::size_t>(program.arena_bytes), 0xCD) {
        for (const BufferId id : p_.results)
            results_.push_back(Array::zeros(p_.buffers[id].dtype, p_.buffers[id].shape));
        for (Array& a : results_) std::memset(a.mutable_data(), 0xCD, static_cast<std::size_t>(a.bytes()));
    }

    std::vector<Array> run() {
        steps(p_.steps);
        for (std::size_t i = 0; i < results_.size(); ++i)
            if (p_.forwarded[i] >= 0) results_[i] = arguments_[static_cast<std::size_t>(p_.forwarded[i])];
        return results_;
    }

  private:
    std::uint8_t* address(BufferId id, std::int64_t of_lane) {
        const Buffer& b = p_.buffers[id];
        std::int64_t offset = b.offset;
        for (const Stride& s : b.strides) offset += s.bytes * (s.loop == lane ? of_lane : loops_.at(s.loop));
        switch (b.space) {
        case Space::argument: return static_cast<std::uint8_t*>(const_cast<void*>(arguments_[b.index].data())) + offset;
        case Space::result: return static_cast<std::uint8_t*>(results_[b.index].mutable_data()) + offset;
        case Space::constant: return const_cast<std::uint8_t*>(p_.constants[b.index].bytes.data()) + offset;
        case Space::arena: return arena_.data() + offset;
        case Space::local: return locals_[{b.index, of_lane}].bytes;
        }
        return nullptr;
    }
    std::uint8_t* address(BufferId id) { return address(id, lane_); }
    bool flag(BufferId id) { return *address(id) != 0; }

    void steps(const Steps& list) {
        for (const Step& s : list) step(s);
    }

    void tape(const Step& s) {
        const auto& tape = s.as<TapeStep>();
        const BufferId x = tape.values(s.buffers);
        const runtime::TapeBatch batch{tape.tapes, tape.elements, p_.buffers[x].dtype};
        const auto indices = [&] { return reinterpret_cast<const std::int64_t*>(address(s.buffers[1])); };
        const auto handles = [&](std::size_t i) { return reinterpret_cast<std::uint64_t*>(address(s.buffers[i])); };
        if (tape.work == runtime::TapeWork::set)
            runtime::tape_set(tapes_, tape_lane_, batch, address(x), indices(), handles(2));
        else if (tape.work == runtime::TapeWork::add)
            runtime::tape_add(tapes_, tape_lane_, batch, address(x), indices(), handles(2));
        else if (tape.is_get())
            runtime::tape_get(batch, handles(0), indices(), address(x));
        else
            runtime::tape_sum(batch.count, handles(0), handles(1));
    }

    void step(const Step& s) {
        switch (s.kind()) {
        case StepKind::nest: run_nest(s); return;
        case StepKind::dot: dot(s); return;
        case StepKind::matrices: matrices(s); return;
        case StepKind::sort: sort(s); return;
        case StepKind::scatter: scatter(s); return;
        case StepKind::cumulative: cumulative(s); return;
        case StepKind::copy:
            std::memmove(address(s.buffers[1]), address(s.buffers[0]),
                         static_cast<std::size_t>(p_.buffers[s.buffers[0]].bytes()));
            return;
        case StepKind::tape: tape(s); return;
        case StepKind::tapes:
            tapes_.enter(tape_lane_);
            steps(s.children[0]);
            tapes_.leave(tape_lane_);
            return;
        case StepKind::collective: collective(s); return;
        case StepKind::meeting: throw std::runtime_error("a program for several processes");
        case StepKind::if_: steps(s.children[flag(s.buffers[0]) ? 0 : 1]); return;
        case StepKind::while_:
            for (;;) {
                steps(s.children[0]);
                if (!flag(s.buffers[0])) return;
                steps(s.children[1]);
            }
        case StepKind::loop: counted_loop(s); return;
        case StepKind::lanes:
            // Lanes run in reverse order, since no result may depend on the order of lanes.
            for (lane_ = s.as<LanesStep>().count - 1; lane_ >= 0; --lane_) {
                tape_lane_ = lane_;
                steps(s.children[0]);
            }
            lane_ = 0;
            tape_lane_ = -1;
            return;
        case StepKind::check: {
            const std::uint8_t* ok = address(s.buffers[0]);
            for (std::int64_t i = 0; i < p_.buffers[s.buffers[0]].elements(); ++i)
                if (ok[i] == 0) throw CheckFailed(s.as<CheckStep>().site, i);
            return;
        }
        case StepKind::print:
        case StepKind::poll: return;
        }
    }

    void counted_loop(const Step& s) {
        const auto& loop = s.as<LoopStep>();
        for (std::int64_t t = 0; t < loop.iterations; ++t) {
            const std::int64_t index = loop.reverse ? loop.iterations - 1 - t : t;
            loops_[loop.id] = index;
            if (!s.buffers.empty()) runtime::write_i64(p_.buffers[s.buffers[0]].dtype, address(s.buffers[0]), 0, index);
            steps(s.children[0]);
        }
    }

    void run_nest(const Step& s) {
        std::vector<std::uint8_t*> addresses;
        std::vector<std::int64_t> sizes;
        for (const BufferId id : s.buffers) {
            addresses.push_back(address(id));
            sizes.push_back(p_.buffers[id].elements());
        }
        interpret_nest(*s.nest, std::move(addresses), std::move(sizes));
    }

    void dot(const Step& s) {
        const auto& d = s.as<DotStep>();
        const DType dtype = p_.buffers[s.buffers[0]].dtype;
        const DType sum_type = accumulator(Combine::add, dtype);
        std::vector<std::uint8_t> product(static_cast<std::size_t>(d.elements()) * runtime::size_of(dtype));
        for (std::int64_t b = 0; b < d.batch; ++b)
            for (std::int64_t m = 0; m < d.m; ++m)
                for (std::int64_t c = 0; c < d.n; ++c) {
                    std::uint64_t sum = 0;
                    for (std::int64_t k = 0; k < d.k; ++k) {
                        std::uint64_t x = read_element(address(s.buffers[0]), dtype, b * d.a_b + m * d.a_m + k * d.a_k);
                        std::uint64_t y = read_element(address(s.buffers[1]), dtype, b * d.b_b + k * d.b_k + c * d.b_n);
                        if (sum_type != dtype) {
                            x = scalar_operation(ScalarOp::convert, sum_type, dtype, x);
                            y = scalar_operation(ScalarOp::convert, sum_type, dtype, y);
                        }
                        sum = runtime::is_float(sum_type)
                                  ? scalar_operation(ScalarOp::fma, sum_type, sum_type, x, y, sum)
                                  : combine_elements(Combine::add, sum_type,
                                                     combine_elements(Combine::mul, sum_type, x, y), sum);
                    }
                    if (sum_type != dtype) sum = scalar_operation(ScalarOp::convert, dtype, sum_type, sum);
                    if (s.nest)
                        write_element(product.data(), dtype, (b * d.m + m) * d.n + c, sum);
                    else
                        write_element(address(s.buffers[2]), dtype, b * d.out_b + m * d.out_m + c * d.out_n, sum);
                }
        if (s.nest) run_epilogue(s, product.data(), d.elements());
    }

    void run_epilogue(const Step& s, std::uint8_t* product, std::int64_t size) {
        std::vector<std::uint8_t*> addresses{product};
        std::vector<std::int64_t> sizes{size};
        for (std::size_t i = 3; i < s.buffers.size(); ++i) {
            addresses.push_back(address(s.buffers[i]));
            sizes.push_back(p_.buffers[s.buffers[i]].elements());
        }
        interpret_nest(*s.nest, std::move(addresses), std::move(sizes));
    }

    /// A forward convolution along one axis, without groups or dilation.
    void convolution(const Step& s) {
        const auto spec = runtime::convolution_spec(s.as<MatricesStep>().attributes.data());
        const std::string x = fmt::format("f32[{}, {}, {}]", spec.batch, spec.x[0], spec.in),
                          w = fmt::format("f32[{}, {}, {}]", spec.out, spec.w[0], spec.in),
                          y = fmt::format("[{}, {}, {}]", spec.batch, spec.y[0], spec.out);
        const std::vector<Array> given{
            Array::from_bytes(DType::f32, {spec.batch, spec.x[0], spec.in}, address(s.buffers[0])),
            Array::from_bytes(DType::f32, {spec.out, spec.w[0], spec.in}, address(s.buffers[1]))};
        const Array made = evaluate::evaluate(
            ir::read(fmt::format("fn f(%0: {0}, %1: {1}) -> (f32{2}) {{\n  %2: f32{2} = convolution(%0, %1) shape={2} "
                                 "kind=\"forward\" stride=[{3}] dilation=[1] padding=[{4}] groups=1\n  return %2\n}}",
                                 x, w, y, spec.stride[0], spec.padding[0])),
            given)[0];
        std::memcpy(address(s.buffers[2]), made.data(), static_cast<std::size_t>(made.bytes()));
        if (s.nest) run_epilogue(s, address(s.buffers[2]), made.elements());
    }

    void matrices(const Step& s) {
        const auto& [kernel, attributes] = s.as<MatricesStep>();
        if (kernel == "convolution") return convolution(s);
        std::vector<void*> buffers;
        for (const BufferId id : s.buffers) buffers.push_back(address(id));
        if (kernel == "factorize")
            runtime::factorize(nullptr, runtime::factorize_spec(attributes.data()), buffers.data());
        else
            runtime::solve_triangular(nullptr, runtime::triangular_spec(attributes.data()), buffers.data());
    }

    void sort(const Step& s) {
        const std::int64_t rows = s.as<SortStep>().rows;
        const std::int64_t n = s.as<SortStep>().n;
        const auto count = static_cast<std::size_t>(s.as<SortStep>().arrays);
        const auto keys = static_cast<std::size_t>(s.as<SortStep>().keys);
        for (std::int64_t row = 0; row < rows; ++row) {
            std::vector<std::int64_t> order(static_cast<std::size_t>(n));
            std::iota(order.begin(), order.end(), 0);
            const auto less = [&](std::size_t k, std::int64_t i, std::int64_t j) {
                const DType dtype = p_.buffers[s.buffers[k]].dtype;
                const std::uint64_t a = read_element(address(s.buffers[k]), dtype, row * n + i);
                const std::uint64_t b = read_element(address(s.buffers[k]), dtype, row * n + j);
                if (runtime::is_float(dtype)) {
                    const bool x = std::isnan(runtime::read_f64(dtype, &a, 0));
                    const bool y = std::isnan(runtime::read_f64(dtype, &b, 0));
                    if (x || y) return !x && y;
                }
                return scalar_operation(ScalarOp::less, DType::b1, dtype, a, b) != 0;
            };
            std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
                for (std::size_t k = 0; k < keys; ++k) {
                    if (less(k, i, j)) return true;
                    if (less(k, j, i)) return false;
                }
                return false;
            });
            for (std::size_t a = 0; a < count; ++a) {
                const DType dtype = p_.buffers[s.buffers[a]].dtype;
                std::vector<std::uint64_t> sorted;
                for (const std::int64_t i : order)
                    sorted.push_back(read_element(address(s.buffers[a]), dtype, row * n + i));
                for (std::int64_t i = 0; i < n; ++i)
                    write_element(address(s.buffers[count + a]), dtype, row * n + i,
                                  sorted[static_cast<std::size_t>(i)]);
            }
        }
    }

    void scatter(const Step& s) {
        const auto& [batch, count, window, sizes, replaces, combine] = s.as<ScatterStep>();
        const BufferId out = s.buffers.back();
        const DType dtype = p_.buffers[out].dtype;
        const DType given = p_.buffers[s.buffers[0]].dtype;
        for (std::int64_t b = 0; b < batch; ++b)
            for (std::int64_t c = 0; c < count; ++c) {
                std::int64_t row = b;
                bool inside = true;
                for (std::size_t j = 0; j < sizes.size(); ++j) {
                    const Buffer& index = p_.buffers[s.buffers[1 + j]];
                    const std::int64_t i = runtime::read_i64(index.dtype, address(s.buffers[1 + j]), b * count + c);
                    inside = inside && i >= 0 && i < sizes[j];
                    row = row * sizes[j] + i;
                }
                if (!inside) continue;
                for (std::int64_t w = 0; w < window; ++w) {
                    std::uint64_t x = read_element(address(s.buffers[0]), given, (b * count + c) * window + w);
                    if (given != dtype) x = scalar_operation(ScalarOp::convert, dtype, given, x);
                    const std::uint64_t old = read_element(address(out), dtype, row * window + w);
                    write_element(address(out), dtype, row * window + w,
                                  replaces ? x : combine_elements(combine, dtype, old, x));
                }
            }
    }

    void cumulative(const Step& s) {
        const auto& [outer, n, inner, reverse, combine] = s.as<CumulativeStep>();
        const DType dtype = p_.buffers[s.buffers[0]].dtype;
        const DType sum_type = accumulator(combine, dtype);
        for (std::int64_t o = 0; o < outer; ++o)
            for (std::int64_t i = 0; i < inner; ++i) {
                std::uint64_t sum = nest::identity_bits(combine, sum_type);
                for (std::int64_t t = 0; t < n; ++t) {
                    const std::int64_t at = (o * n + (reverse ? n - 1 - t : t)) * inner + i;
                    std::uint64_t x = read_element(address(s.buffers[0]), dtype, at);
                    if (sum_type != dtype) x = scalar_operation(ScalarOp::convert, sum_type, dtype, x);
                    sum = t == 0 ? x : combine_elements(combine, sum_type, sum, x);
                    write_element(address(s.buffers[1]), dtype, at,
                                  sum_type == dtype ? sum : scalar_operation(ScalarOp::convert, dtype, sum_type, sum));
                }
            }
    }

    void collective(const Step& s) {
        const auto& [work, lanes, receivers, combine] = s.as<CollectiveStep>();
        const Buffer& in = p_.buffers[s.buffers[0]];
        const Buffer& out = p_.buffers[s.buffers[1]];
        const std::int64_t n = in.elements();
        std::vector<std::vector<std::uint64_t>> values(static_cast<std::size_t>(lanes));
        for (std::int64_t l = 0; l < lanes; ++l)
            for (std::int64_t i = 0; i < n; ++i)
                values[static_cast<std::size_t>(l)].push_back(read_element(address(s.buffers[0], l), in.dtype, i));
        for (std::int64_t to = 0; to < lanes; ++to) {
            std::uint8_t* target = address(s.buffers[1], to);
            for (std::int64_t i = 0; i < out.elements(); ++i) {
                std::uint64_t v = 0;
                if (work == CollectiveWork::reduce) {
                    // 16-bit floats are added in f32 and the sum is rounded once, as in all sums.
                    const DType type = accumulator(combine, in.dtype);
                    const auto converted = [&](DType to, DType from, std::uint64_t x) {
                        return to == from ? x : scalar_operation(ScalarOp::convert, to, from, x);
                    };
                    v = converted(type, in.dtype, values[0][static_cast<std::size_t>(i)]);
                    for (std::size_t l = 1; l < values.size(); ++l)
                        v = combine_elements(combine, type, v,
                                             converted(type, in.dtype, values[l][static_cast<std::size_t>(i)]));
                    v = converted(in.dtype, type, v);
                } else if (work == CollectiveWork::gather) {
                    v = values[static_cast<std::size_t>(i / n)][static_cast<std::size_t>(i % n)];
                } else if (work == CollectiveWork::exchange) {
                    const auto from = std::find(receivers.begin(), receivers.end(), to);
                    if (from != receivers.end())
                        v = values[static_cast<std::size_t>(from - receivers.begin())][static_cast<std::size_t>(i)];
                } else {
                    const std::int64_t part = n / lanes;
                    v = values[static_cast<std::size_t>(i / part)][static_cast<std::size_t>(to * part + i % part)];
                }
                write_element(target, in.dtype, i, v);
            }
        }
    }

    struct Local {
        std::uint8_t bytes[64] = {};
    };

    const Program& p_;
    const std::vector<Array>& arguments_;
    std::vector<Array> results_;
    std::vector<std::uint8_t> arena_;
    std::map<std::pair<std::uint32_t, std::int64_t>, Local> locals_;
    std::map<std::uint32_t, std::int64_t> loops_;
    std::int64_t lane_ = 0;
    std::int64_t tape_lane_ = -1;
    runtime::Tapes tapes_{nullptr};
};

} // namespace

std::vector<Array> interpret(const Program& program, const std::vector<Array>& arguments) {
    return Machine(program, arguments).run();
}

std::size_t count_steps(const Steps& steps, StepKind kind) {
    std::size_t count = 0;
    for (const Step& s : steps) {
        count += s.kind() == kind ? 1 : 0;
        for (const Steps& children : s.children) count += count_steps(children, kind);
    }
    return count;
}

} // namespace pm::plan::testing
