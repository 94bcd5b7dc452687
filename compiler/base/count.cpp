#include "compiler/base/count.hpp"

fmt::appender fmt::formatter<pm::Count>::format(const pm::Count& count, fmt::format_context& context) const {
    return fmt::format_to(context.out(), "{} {}", count.n, count.n == 1 ? one_ : many_);
}
