#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/base/source.hpp"
#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/values/value.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pm::stage {

/// Determines the source positions of errors and instructions. For code of the standard library, the position is that
/// of the user's call of the library.
class Places {
  public:
    explicit Places(const SourceMap& sources) : sources_(sources) {}

    void add_to_library(std::uint32_t source);
    bool in_library(Span span) const { return span.source < library_.size() && library_[span.source]; }
    /// Whether `f` is a native, or a function whose source text is in the library. False for derived functions such as
    /// grad(f).
    bool of_library(const Function& f) const {
        return f.native() || (f.closure() && in_library(f.closure()->text().signature));
    }
    /// The position for errors and instructions of the code at `span`.
    Span of(Span span) const { return in_library(span) ? users_call_ : span; }

    /// A call, and the positions of its arguments.
    struct CallSite {
        Span call;
        std::vector<Span> positional;
        std::vector<std::pair<std::string, Span>> named; ///< positions of the values of named arguments
        std::vector<Span> names;
    };
    /// While the object lives, `site` is the current call.
    class Inside {
      public:
        Inside(Places& places, CallSite site)
            : users_call_(places.users_call_, places.of(site.call)), site_(places.site_, std::move(site)) {}

      private:
        Restore<Span> users_call_;
        Restore<CallSite> site_;
    };
    const CallSite& site() const { return site_; }
    /// The position of positional argument number `i` of the call at `call`. If this position is not known, the
    /// position of the whole call.
    Span argument(Span call, std::size_t i) const;
    Span argument(Span call, const std::string& name) const;

    /// If the position of the error `d` is in the standard library, sets the position to `span`, the user's call of the
    /// library.
    void blame(Diagnostic& d, Span span) const;
    /// Records that the program calls `assert` or `fail` at this position. Called only while a program is checked. The
    /// call may use another name for the function.
    void add_check(Span span) {
        if (!in_library(span)) checks_.emplace(span.source, span.begin);
    }
    /// Whether the source text of the program has a call of `assert` or `fail` at this position.
    bool says_itself(Span span) const { return checks_.count({span.source, span.begin}) != 0; }

  private:
    const SourceMap& sources_;
    std::vector<bool> library_; ///< per source: true if the source belongs to the standard library
    std::set<std::pair<std::uint32_t, std::uint32_t>> checks_;
    Span users_call_; ///< the position of the user's call of the library function that is being executed
    CallSite site_;   ///< the current call; `argument` uses it only for a call with the same span
};

} // namespace pm::stage
