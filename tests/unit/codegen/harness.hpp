#pragma once
#include "compiler/codegen/jit/jit.hpp"
#include "compiler/nest/nest.hpp"
#include "compiler/plan/program/program.hpp"
#include "runtime/array.hpp"
#include "runtime/call.hpp"

#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

/// Compiles and runs programs on arrays, for the tests of the code generator.
namespace pm::codegen::test {

using runtime::Array;
using runtime::DType;
using runtime::Shape;

inline Jit& jit(int vector_bits = 0) {
    static std::map<int, std::unique_ptr<Jit>> known;
    auto& made = known[vector_bits];
    if (!made) {
        Options options;
        options.vector_bits = vector_bits;
        made = make_jit(options);
    }
    return *made;
}

struct Outcome {
    std::vector<Array> results;
    runtime::CallResult call;
};

inline Outcome run_code(const plan::Program& program, const Code& code, std::vector<Array> arguments, int workers,
                        runtime::CallOptions options = {}) {
    Outcome outcome;
    for (const plan::BufferId id : program.results)
        outcome.results.push_back(Array::zeros(program.buffers[id].dtype, program.buffers[id].shape));
    std::vector<void*> in;
    for (Array& a : arguments) in.push_back(const_cast<void*>(a.data()));
    std::vector<void*> out;
    for (Array& a : outcome.results) out.push_back(a.mutable_data());
    std::vector<Array> constants;
    std::vector<const void*> held;
    for (const plan::Constant& c : program.constants) {
        constants.push_back(Array::from_bytes(DType::u8, {static_cast<std::int64_t>(c.bytes.size())}, c.bytes.data()));
        held.push_back(constants.back().data());
    }
    runtime::Workers pool(workers);
    options.workers = &pool;
    options.kernels = code.kernels();
    runtime::CallState state(options);
    outcome.call = state.run(code.entry(), in, out, held, static_cast<std::size_t>(program.arena_bytes));
    return outcome;
}

inline Outcome run(const plan::Program& program, std::vector<Array> arguments, int vector_bits = 0, int workers = 1,
                   runtime::CallOptions options = {}) {
    plan::verify(program, "test");
    const auto code = jit(vector_bits).compile(program);
    return run_code(program, *code, std::move(arguments), workers, std::move(options));
}

/// A program of one nest step. Buffers that the nest only reads are arguments of the program. Buffers that the nest
/// writes are results. `shapes` are the shapes of the buffers.
inline plan::Program nest_program(const nest::Nest& nest, const std::vector<Shape>& shapes, bool parallel = false) {
    nest::verify(nest, "test");
    plan::Program program;
    program.name = nest.name;
    plan::Step step{plan::NestStep{}};
    step.nest = std::make_shared<nest::Nest>(nest);
    step.parallel = parallel;
    for (std::size_t i = 0; i < nest.buffers.size(); ++i) {
        plan::Buffer buffer;
        buffer.dtype = nest.buffers[i].dtype;
        buffer.shape = shapes[i];
        buffer.space = nest.buffers[i].written ? plan::Space::result : plan::Space::argument;
        auto& list = nest.buffers[i].written ? program.results : program.arguments;
        buffer.index = static_cast<std::uint32_t>(list.size());
        list.push_back(static_cast<plan::BufferId>(i));
        program.buffers.push_back(buffer);
        step.buffers.push_back(static_cast<plan::BufferId>(i));
    }
    program.forwarded.assign(program.results.size(), -1);
    program.steps.push_back(step);
    return program;
}

/// A nest that computes out[i] = op(x[i], ..) for n elements. `from` are the dtypes of the operands, `to` is the dtype
/// of the result.
inline nest::Nest elementwise(nest::ScalarOp op, DType to, const std::vector<DType>& from, std::int64_t n) {
    nest::Nest made;
    made.name = std::string(nest::name(op));
    made.grid = {n};
    made.stages.emplace_back();
    const auto push = [&](nest::Inst inst) {
        made.insts.push_back(std::move(inst));
        made.stages[0].body.push_back(nest::Ref{static_cast<std::uint32_t>(made.insts.size() - 1)});
        return made.stages[0].body.back();
    };
    std::vector<nest::Ref> operands;
    for (const DType d : from) {
        nest::Inst load;
        load.op = nest::ScalarOp::load;
        load.dtype = d;
        load.access.buffer = static_cast<std::uint32_t>(made.buffers.size());
        load.access.offset.coefficients = {1};
        made.buffers.push_back({d, false});
        operands.push_back(push(std::move(load)));
    }
    nest::Inst inst;
    inst.op = op;
    inst.dtype = to;
    inst.operands = operands;
    const nest::Ref value = push(std::move(inst));
    nest::Inst store;
    store.op = nest::ScalarOp::store;
    store.dtype = to;
    store.access.buffer = static_cast<std::uint32_t>(made.buffers.size());
    store.access.offset.coefficients = {1};
    store.operands = {value};
    made.buffers.push_back({to, true});
    push(std::move(store));
    return made;
}

/// An array of random numbers. Floats are in [-4, 4), integers in [-100, 100].
inline Array random_array(DType dtype, Shape shape, unsigned seed) {
    Array made = Array::empty(dtype, std::move(shape));
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> reals(-4, 4);
    std::uniform_int_distribution<std::int64_t> whole(-100, 100);
    for (std::int64_t i = 0; i < made.elements(); ++i) {
        if (runtime::is_float(dtype))
            runtime::write_f64(dtype, made.mutable_data(), i, reals(engine));
        else
            runtime::write_i64(dtype, made.mutable_data(), i,
                               dtype == DType::b1 ? (whole(engine) > 0 ? 1 : 0) : whole(engine));
    }
    return made;
}

template <class T>
std::vector<T> values(const Array& a) {
    return {a.as<T>(), a.as<T>() + a.elements()};
}

/// A compiler for the emulated GPU. The kernels are compiled to code of the CPU.
inline Jit& gpu() {
    static const std::unique_ptr<Jit> jit = [] {
        Options options;
        options.target = Target::gpu_emulated;
        return make_jit(options);
    }();
    return *jit;
}

inline constexpr double inf = std::numeric_limits<double>::infinity();

} // namespace pm::codegen::test
