#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/core/interpreted.hpp"
#include "compiler/stage/core/specialiser.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pm::stage {

/// Counts the compilations of each call of the program for other shapes, or for other numbers that are part of the
/// code. A call that is compiled each time is slow, and nothing else shows why.
class Recompilations {
  public:
    /// Counts a compilation of the call at `place`. `known`: per leaf of the call whether its number is part of the
    /// code. Returns a warning at the 64th compilation of one function at one place. The warning names the arguments
    /// that differ from the compilation before.
    std::optional<Diagnostic> count(const KeyedCall& call, const std::vector<bool>& known, Span place);

  private:
    static constexpr int most = 64;                 ///< 64 small functions take about 0.3 s to compile
    static constexpr std::size_t most_sites = 4096; ///< calls of further places are not counted

    /// A name of an argument, and its type and known numbers.
    using Described = std::vector<std::pair<std::string, std::string>>;
    struct Site {
        int count = 0;
        Described last;
    };
    std::map<std::pair<SourcePlace, SourcePlace>, Site> sites_; ///< by the places of the call and of the function
};

} // namespace pm::stage
