#pragma once
#include "compiler/plan/program/program.hpp"
#include "runtime/gpu/device/convolutions.hpp"
#include "runtime/gpu/libraries/products.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace pm::codegen {

/// Where an operand begins.
struct OperandPlace {
    std::size_t buffer = 0;   ///< among the step's
    std::int64_t element = 0; ///< the first of it
};

/// A product that a library of the device's is asked for.
struct LibraryProduct {
    runtime::ProductSpec spec;
    OperandPlace out{.buffer = 2};
    std::optional<OperandPlace> bias = {}, added = {};
    std::optional<plan::Step> end = {}; ///< what follows when the library has computed it
};

/// The product of a dot step together with its epilogue, where that is all the library's: one result, which is
/// function(scale * product + added_scale * added + bias). The library rounds its sum of f32 once, and has a gelu of
/// its own: neither is asked of it where precision is not the default one. `spec` is the product alone.
std::optional<LibraryProduct> product_with_end(const plan::Step& dot, const runtime::ProductSpec& spec);

/// A convolution with an epilogue.
struct LibraryConvolution {
    /// Where the library may have both.
    struct Whole {
        runtime::ConvolutionEpilogue end;
        OperandPlace out, bias;
        std::optional<OperandPlace> added = {};
    };
    std::optional<Whole> whole = {};
    plan::Step end; ///< what follows when the library has computed the convolution
};
LibraryConvolution convolution_with_end(const plan::Step& convolution);

} // namespace pm::codegen
