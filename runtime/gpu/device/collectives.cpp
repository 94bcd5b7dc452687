#include "runtime/gpu/device/collectives.hpp"

namespace pm::runtime {

std::vector<std::int64_t> all_reduce_attributes(const AllReduceSpec& s) {
    return {static_cast<std::int64_t>(s.dtype),
            static_cast<std::int64_t>(s.by),
            s.lanes,
            s.count,
            s.in_stride,
            s.out_stride};
}
AllReduceSpec all_reduce_spec(const std::int64_t* a) {
    return {static_cast<DType>(a[0]), static_cast<AllReduceSpec::By>(a[1]), a[2], a[3], a[4], a[5]};
}

bool library_reduces(DType dtype, AllReduceSpec::By by) {
    if (is_float(dtype)) return by == AllReduceSpec::By::sum && !is_half(dtype);
    return is_integer(dtype) && size_of(dtype) != 2;
}

} // namespace pm::runtime
