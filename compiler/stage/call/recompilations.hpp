#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/stage/core/interpreted.hpp"
#include "compiler/stage/core/specialiser.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pm::stage {

/// Counts how often each call in the program is compiled again. A call is compiled again for other shapes, or for other
/// numbers that are constants in the code. A call that is compiled at each execution is slow, and only the warning of
/// this class shows the reason.
class Recompilations {
  public:
    /// Counts a compilation of the call at `place`. `known`: per leaf of the call, true if the leaf is a constant in
    /// the code. Returns a warning at the 16th compilation of one function at one position. The warning names the
    /// arguments that differ from the arguments at the previous compilation.
    std::optional<Diagnostic> count(const KeyedCall& call, const std::vector<bool>& known, Span place);

  private:
    static constexpr int most = 16; ///< 16 functions take 0.1 s to compile, or some seconds if they are large
    static constexpr std::size_t most_sites =
        4096; ///< if calls at this many positions are counted, calls at other positions are not

    /// For each argument: its name, and a description with its type and known numbers.
    using Described = std::vector<std::pair<std::string, std::string>>;
    struct Site {
        int count = 0;
        Described last;
        std::set<std::size_t> texts = {}; ///< hashes of the texts so far
    };
    std::map<std::pair<SourcePlace, SourcePlace>, Site> sites_; ///< by the positions of the call and of the function
};

} // namespace pm::stage
