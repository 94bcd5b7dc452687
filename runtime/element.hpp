#pragma once
#include "runtime/dtype.hpp"

#include <complex>
#include <cstdint>

// Reads and writes one element of a buffer of any dtype, and converts it as the casts of the language do. From a float
// to an integer, a value is rounded towards zero and saturated; NaN becomes 0. Integers wrap. To bool, a value is true
// if it is not zero. From a complex number, only the real part is used. A key is read and written as its 64 bits.
// Conversions to a float round once, to nearest even.

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
