#include "compiler/ops/core/display_name.hpp"

#include "compiler/base/check.hpp"

namespace pm::ops {

std::string_view display_name(ir::Op op) {
    using Op = ir::Op;
    switch (op) {
    // creation
    case Op::constant: return "full";
    case Op::iota: return "arange";
    // one operand
    case Op::neg: return "-";
    case Op::is_finite: return "isfinite";
    case Op::not_: return "~";
    case Op::convert: return "astype";
    case Op::bitcast: return "bitcast_convert_type";
    case Op::integer_pow: return "**";
    // two operands
    case Op::add: return "+";
    case Op::sub: return "-";
    case Op::mul: return "*";
    case Op::div: return "/";
    case Op::rem: return "%";
    case Op::pow: return "**";
    case Op::max: return "maximum";
    case Op::min: return "minimum";
    case Op::and_: return "&";
    case Op::or_: return "|";
    case Op::xor_: return "^";
    case Op::shift_left: return "<<";
    case Op::shift_right: return ">>";
    case Op::equal: return "==";
    case Op::not_equal: return "!=";
    case Op::less: return "<";
    case Op::less_equal: return "<=";
    case Op::threefry: return "random.bits";
    // three operands
    case Op::select: return "where";
    case Op::fma: return "+";
    // shape
    case Op::broadcast: return "broadcast_to";
    case Op::reverse: return "flip";
    // indexing: the operations of `x[...]` and `with [...]`
    case Op::dynamic_update: return "dynamic_update_slice";
    case Op::gather: return "take";
    case Op::scatter: return "with";
    // tapes record the iterations of loops for reverse mode
    case Op::tape_set:
    case Op::tape_add:
    case Op::tape_get:
    case Op::tape_sum: return "while";
    // reductions
    case Op::reduce_sum: return "sum";
    case Op::reduce_prod: return "prod";
    case Op::reduce_max: return "max";
    case Op::reduce_min: return "min";
    case Op::reduce_and: return "all";
    case Op::reduce_or: return "any";
    // contraction
    case Op::fft: return "fft.fft";
    case Op::convolution: return "nn.conv";
    case Op::factorize: return "linalg";
    case Op::triangular_solve: return "linalg.solve_triangular";
    // effects
    case Op::check: return "assert";
    case Op::barrier: return "checkpoint";
    // control
    case Op::call: return "jit";
    case Op::if_: return "if";
    case Op::while_: return "while";
    case Op::custom:
    case Op::custom_linear: return "custom_vjp";
    // operations whose functions have the same name
    case Op::abs:
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::trunc:
    case Op::exp:
    case Op::expm1:
    case Op::log:
    case Op::log1p:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::cbrt:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
    case Op::asinh:
    case Op::acosh:
    case Op::atanh:
    case Op::logistic:
    case Op::erf:
    case Op::erfc:
    case Op::erf_inv:
    case Op::lgamma:
    case Op::digamma:
    case Op::population_count:
    case Op::stop_gradient:
    case Op::real:
    case Op::imag:
    case Op::conj:
    case Op::complex:
    case Op::atan2:
    case Op::nextafter:
    case Op::reshape:
    case Op::transpose:
    case Op::slice:
    case Op::pad:
    case Op::concatenate:
    case Op::dynamic_slice:
    case Op::argmax:
    case Op::argmin:
    case Op::cumsum:
    case Op::cumprod:
    case Op::cummax:
    case Op::cummin:
    case Op::sort:
    case Op::dot:
    case Op::psum:
    case Op::pmax:
    case Op::pmin:
    case Op::all_gather:
    case Op::psum_scatter:
    case Op::ppermute:
    case Op::all_to_all:
    case Op::axis_index:
    case Op::print:
    case Op::scan:
    case Op::pmap: return ir::info(op).name;
    }
    PM_UNREACHABLE();
}

void speak_of(Diagnostic& diagnostic, std::string_view name) {
    std::string& text = diagnostic.message;
    if (!text.starts_with('`')) return;
    const std::size_t end = text.find('`', 1);
    if (end == std::string::npos) return;
    const std::string_view said = std::string_view(text).substr(1, end - 1);
    if (said == name) return;
    // Operators that are made of several operations, or of one with its operands exchanged.
    bool known = said == ">" || said == ">=" || said == "//";
    for (int i = 0; i < ir::op_count; ++i) known = known || said == display_name(static_cast<ir::Op>(i));
    if (known) text.replace(1, end - 1, name);
}

} // namespace pm::ops
