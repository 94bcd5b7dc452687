#pragma once
#include "runtime/dtype.hpp"

#include <complex>
#include <cstdint>

// One element of a buffer of any type, converted. Conversions are those of the language's casts: to an
// integer a float goes towards zero and stops at the type's ends (NaN gives 0), integers wrap, to bool is
// "not zero", from complex takes the real part; a key is read and written as its 64 bits. To a float they
// round once, to nearest even.

namespace pm::runtime {

double read_f64(DType dtype, const void* data, std::int64_t i);
std::int64_t read_i64(DType dtype, const void* data, std::int64_t i);
std::uint64_t read_u64(DType dtype, const void* data, std::int64_t i);
std::complex<double> read_c128(DType dtype, const void* data, std::int64_t i);
bool read_bool(DType dtype, const void* data, std::int64_t i);

void write_f64(DType dtype, void* data, std::int64_t i, double value);
void write_i64(DType dtype, void* data, std::int64_t i, std::int64_t value);
void write_u64(DType dtype, void* data, std::int64_t i, std::uint64_t value);
void write_c128(DType dtype, void* data, std::int64_t i, std::complex<double> value);

} // namespace pm::runtime
