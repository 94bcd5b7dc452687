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
    /// Counts a compilation of the call at `place` into the code `made`. Returns a warning at the 16th compilation of
    /// one function at one position if there is much code, else at the 64th: a program may try some sizes or names on
    /// purpose. The warning names the arguments that differ from the arguments at the previous compilation.
    std::optional<Diagnostic> count(const KeyedCall& call, const StagedFunction& made, Span place);

  private:
    static constexpr int few = 16;
    static constexpr int most = 64;                 ///< 64 small functions take about 0.3 s to compile
    static constexpr std::size_t much_code = 16384; ///< instructions that take about 2 s to compile
    static constexpr std::size_t most_sites =
        4096; ///< if calls at this many positions are counted, calls at other positions are not

    /// For each argument: its name, and a description with its type and known numbers.
    using Described = std::vector<std::pair<std::string, std::string>>;
    struct Site {
        int count = 0;
        std::size_t code = 0; ///< the instructions of all compilations
        bool told = false;
        Described last;
        std::set<std::size_t> texts = {}; ///< hashes of the texts so far
        std::string functions = {};       ///< the positions of the functions among the arguments
    };
    std::map<std::pair<SourcePlace, SourcePlace>, Site> sites_; ///< by the positions of the call and of the function
};

} // namespace pm::stage
