#pragma once
#include "runtime/dtype.hpp"

#include <complex>
#include <cstdint>

// Functions that read or write one element of an array of any dtype, and convert its value as the casts of the language
// do. A float becomes an integer by rounding towards zero and saturating; NaN becomes 0. An integer becomes a narrower
// integer by dropping its upper bits. A value becomes true if it is not zero, otherwise false. If a complex number
// becomes a real number, only its real part is used. A key is read and written as its 64 bits. Conversions to a float
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
