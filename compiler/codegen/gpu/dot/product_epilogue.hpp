#pragma once
#include "compiler/plan/program/program.hpp"
#include "runtime/gpu/device/convolutions.hpp"
#include "runtime/gpu/libraries/products.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace pm::codegen {

/// The position of an operand in the buffers of a step.
struct OperandPlace {
    std::size_t buffer = 0;   ///< index among the step's buffers
    std::int64_t element = 0; ///< the index of the first element
};

/// A product that a library of the device computes.
struct LibraryProduct {
    runtime::ProductSpec spec;
    OperandPlace out{.buffer = 2};
    std::optional<OperandPlace> bias = {}, added = {};
    std::optional<plan::Step> epilogue = {}; ///< the step that computes the remaining epilogue; empty if none remains
};

/// The product of a dot step together with its epilogue. nullopt if the library cannot compute both. The epilogue must
/// have one result, function(scale * product + added_scale * added + bias). The library rounds its sum of f32 once and
/// has a different formula for gelu. So only products of standard precision are computed this way. `spec` is the
/// product without the epilogue.
std::optional<LibraryProduct> product_with_epilogue(const plan::Step& dot, const runtime::ProductSpec& spec);

/// A convolution with an epilogue.
struct LibraryConvolution {
    /// The convolution together with its epilogue, as one call of the library. `whole` is empty if the library cannot
    /// compute both.
    struct Whole {
        runtime::ConvolutionEpilogue epilogue;
        OperandPlace out, bias;
        std::optional<OperandPlace> added = {};
    };
    std::optional<Whole> whole = {};
    plan::Step epilogue; ///< the step that computes the epilogue after the library's convolution
};
LibraryConvolution convolution_with_epilogue(const plan::Step& convolution);

} // namespace pm::codegen
