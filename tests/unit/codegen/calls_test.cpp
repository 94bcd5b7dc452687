#include "tests/unit/codegen/harness.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

using namespace pm;
using namespace pm::codegen::test;
using nest::ScalarOp;

// Emitted code must run on devices without libm. The code may call only functions of the runtime, and LLVM intrinsics
// that are instructions on every processor.

namespace {

const std::vector<DType> all{DType::b1,  DType::i8,  DType::i16, DType::i32,  DType::i64, DType::u8, DType::u16,
                             DType::u32, DType::u64, DType::f16, DType::bf16, DType::f32, DType::f64};

const std::vector<ScalarOp> every{
#define SCALAR(name, operands, weight) ScalarOp::name,
#include "compiler/nest/scalar.def"
#undef SCALAR
};

enum class Takes { nothing, any, reals, integers };

/// The dtypes for which an operation is defined; `nothing` if its result depends on more than its operands.
Takes takes(ScalarOp op) {
    switch (op) {
    case ScalarOp::constant:
    case ScalarOp::index:
    case ScalarOp::load:
    case ScalarOp::store:
    case ScalarOp::reduce:
    case ScalarOp::threefry: return Takes::nothing;
    case ScalarOp::neg:
    case ScalarOp::abs:
    case ScalarOp::sign:
    case ScalarOp::is_finite:
    case ScalarOp::convert:
    case ScalarOp::bitcast:
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::div:
    case ScalarOp::rem:
    case ScalarOp::pow:
    case ScalarOp::max:
    case ScalarOp::min:
    case ScalarOp::equal:
    case ScalarOp::not_equal:
    case ScalarOp::less:
    case ScalarOp::less_equal:
    case ScalarOp::select:
    case ScalarOp::fma: return Takes::any;
    case ScalarOp::not_:
    case ScalarOp::population_count:
    case ScalarOp::and_:
    case ScalarOp::or_:
    case ScalarOp::xor_:
    case ScalarOp::shift_left:
    case ScalarOp::shift_right: return Takes::integers;
    default: return Takes::reals;
    }
}

std::vector<DType> results_of(ScalarOp op, DType from) {
    switch (op) {
    case ScalarOp::is_finite:
    case ScalarOp::equal:
    case ScalarOp::not_equal:
    case ScalarOp::less:
    case ScalarOp::less_equal: return {DType::b1};
    case ScalarOp::convert: return all;
    default: return {from};
    }
}

/// Whether LLVM may lower the intrinsic to a call of libm.
bool is_library_function(const std::string& intrinsic) {
    for (const char* name :
         {"sin",  "cos", "tan",  "asin",  "acos", "atan", "sinh",  "cosh",  "tanh",  "sincos", "pow",
          "powi", "exp", "exp2", "exp10", "log",  "log2", "log10", "ldexp", "frexp", "round",  "rint"})
        if (intrinsic.starts_with("llvm." + std::string(name) + ".")) return true;
    return false;
}

/// The functions that a module declares but may not declare, and its instructions that LLVM lowers to calls.
std::vector<std::string> foreign(const std::string& text) {
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.find(" = frem ") != std::string::npos) found.push_back("frem");
        if (!line.starts_with("declare ")) continue;
        const std::size_t at = line.find('@') + 1;
        const std::string name = line.substr(at, line.find('(', at) - at);
        const bool known = name.starts_with("pm_") || (name.starts_with("llvm.") && !is_library_function(name));
        if (!known) found.push_back(name);
    }
    return found;
}

} // namespace

TEST_CASE("emitted code of every operation calls nothing but the runtime") {
    int made = 0;
    for (const int bits : {128, 512})
        for (const ScalarOp op : every)
            for (const DType from : all) {
                const Takes kind = takes(op);
                const bool real = runtime::is_float(from);
                if (kind == Takes::nothing || (kind == Takes::reals && !real) || (kind == Takes::integers && real))
                    continue;
                std::vector<DType> operands(static_cast<std::size_t>(nest::operand_count(op)), from);
                if (op == ScalarOp::select) operands[0] = DType::b1;
                for (const DType to : results_of(op, from)) {
                    const std::int64_t n = 37; // whole vectors, and a remainder
                    const nest::Nest nest = elementwise(op, to, operands, n);
                    const std::vector<Shape> shapes(operands.size() + 1, Shape{n});
                    const std::string text = jit(bits).llvm_text(nest_program(nest, shapes), false);
                    REQUIRE(text.find("pm_entry") != std::string::npos);
                    CHECK_MESSAGE(foreign(text) == std::vector<std::string>{},
                                  nest::name(op) << " " << runtime::name(from) << " to " << runtime::name(to));
                    ++made;
                }
            }
    CHECK(made > 1000);
}

TEST_CASE("instructions and intrinsics that LLVM lowers to calls are found") {
    CHECK(foreign("declare double @llvm.pow.f64(double, double)\n") == std::vector<std::string>{"llvm.pow.f64"});
    CHECK(foreign("declare double @tan(double) #1\n") == std::vector<std::string>{"tan"});
    CHECK(foreign("  %1 = frem double %a, %b\n") == std::vector<std::string>{"frem"});
    CHECK(foreign("declare void @pm_poll(ptr)\ndeclare double @llvm.fma.f64(double, double, double)\n").empty());
}
