#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace pm {

/// An error of pm itself, never of its input. The command line reports it and exits with code 70.
class InternalError : public std::logic_error {
  public:
    using std::logic_error::logic_error;
    /// The stage that failed, such as "plan" or "optimize, pass cse". Empty if the stage is not known.
    const std::string& stage() const { return stage_; }
    /// Sets the stage if none is set. So the innermost stage, which sets its name first, is reported.
    void in(std::string stage) {
        if (stage_.empty()) stage_ = std::move(stage);
    }

  private:
    std::string stage_;
};

/// Calls `work`. If `work` throws an internal error, sets the stage of this error. Exceptions of the standard library
/// for a broken precondition (`at`, an empty optional) become internal errors.
template <class Work>
decltype(auto) in_stage(const char* stage, const Work& work) {
    try {
        return work();
    } catch (InternalError& e) {
        e.in(stage);
        throw;
    } catch (const std::logic_error& e) {
        InternalError error(e.what());
        error.in(stage);
        throw error;
    } catch (const std::bad_optional_access& e) {
        InternalError error(e.what());
        error.in(stage);
        throw error;
    } catch (const std::bad_variant_access& e) {
        InternalError error(e.what());
        error.in(stage);
        throw error;
    }
}

[[noreturn]] void internal_error(const char* file, int line, const char* condition, const std::string& detail);

} // namespace pm

/// Throws an internal error unless the condition holds. The condition must hold for every input. A second argument is
/// added to the error's text.
#define PM_CHECK(condition, ...)                                                                                       \
    (static_cast<bool>(condition) ? static_cast<void>(0)                                                               \
                                  : ::pm::internal_error(__FILE__, __LINE__, #condition, ::std::string{__VA_ARGS__}))
#define PM_UNREACHABLE() ::pm::internal_error(__FILE__, __LINE__, "unreachable", {})
