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

/// The lines of the program that errors and instructions belong to. The text of the standard library has none: the
/// user's call that led there counts.
class Places {
  public:
    explicit Places(const SourceMap& sources) : sources_(sources) {}

    void add_to_library(std::uint32_t source);
    bool in_library(Span span) const { return span.source < library_.size() && library_[span.source]; }
    /// Whether it is a native, or a function whose text is in the library. Derived functions are neither.
    bool of_library(const Function& f) const {
        return f.native() || (f.closure() && in_library(f.closure()->text().signature));
    }
    /// The position of instructions that are made at `span`.
    Span of(Span span) const { return in_library(span) ? users_call_ : span; }

    /// A call, and the positions of its arguments.
    struct CallSite {
        Span call;
        std::vector<Span> positional;
        std::vector<std::pair<std::string, Span>> named; ///< of the values
        std::vector<Span> names;
    };
    /// The current call, as long as this lives.
    class Inside {
      public:
        Inside(Places& places, CallSite site)
            : users_call_(places.users_call_, places.of(site.call)), site_(places.site_, std::move(site)) {}

      private:
        Restore<Span> users_call_;
        Restore<CallSite> site_;
    };
    const CallSite& site() const { return site_; }
    /// The position of an argument of the call at `call`; the whole call if it is unknown.
    Span argument(Span call, std::size_t i) const;
    Span argument(Span call, const std::string& name) const;

    /// Moves an error inside the standard library to the user's call at `span`.
    void blame(Diagnostic& d, Span span) const;
    /// The program is checked, and calls `assert` or `fail` at this position, under any name.
    void add_check(Span span) {
        if (!in_library(span)) checks_.emplace(span.source, span.begin);
    }
    /// Whether the program itself has such a call at this position.
    bool says_itself(Span span) const { return checks_.count({span.source, span.begin}) != 0; }

  private:
    const SourceMap& sources_;
    std::vector<bool> library_; ///< by source: it belongs to the standard library
    std::set<std::pair<std::uint32_t, std::uint32_t>> checks_;
    Span users_call_; ///< the user's call that led into the library
    CallSite site_;   ///< looked up by the call's span
};

} // namespace pm::stage
