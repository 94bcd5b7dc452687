#pragma once
#include <stdexcept>
#include <string>

namespace pm {

/// An error of the program itself, never of its input. The command line reports it and leaves with code 70.
class InternalError : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

[[noreturn]] void internal_error(const char* file, int line, const char* condition, const std::string& detail);

} // namespace pm

/// States what holds whatever the input; a second argument adds a detail.
#define PM_CHECK(condition, ...)                                                                                       \
    (static_cast<bool>(condition) ? static_cast<void>(0)                                                               \
                                  : ::pm::internal_error(__FILE__, __LINE__, #condition, ::std::string{__VA_ARGS__}))
#define PM_UNREACHABLE() ::pm::internal_error(__FILE__, __LINE__, "unreachable", {})
