#include "compiler/stage/library/library.hpp"

#include "compiler/stage/files/files.hpp"
#include "compiler/stage/index/stacking.hpp"
#include "compiler/stage/texts/text_functions.hpp"

namespace pm::stage {

const std::vector<const Native*>& natives() {
    static const std::vector<const Native*> all = [] {
        std::vector<const Native*> list;
        for (const auto family :
             {library::transformations(), library::collectives(), library::basics(),      library::creation(),
              library::shapes(),          library::elementwise(), library::binary(),      library::reductions(),
              library::selection(),       library::grouping(),    library::contraction(), library::control(),
              library::random(),          library::host(),        library::support(),     texts::text_functions(),
              texts::patterns(),          files::file_access(),   files::tables(),        files::json(),
              files::saved_trees()})
            for (const Native& n : family) list.push_back(&n);
        return list;
    }();
    return all;
}

const Native* native_named(std::string_view name) {
    for (const Native* n : natives())
        if (n->name == name) return n;
    return nullptr;
}

namespace library {

const Value& need_array(const Value& v, Span span, std::string_view what) {
    if (v.is_numeric()) return v;
    Diagnostic refusal = diagnose(Diag::wrong_kind, span, what, "a number or an array", describe(v));
    const Tuple* t = v.tuple();
    if (t && !t->items.empty() && t->items[0].text()) refusal.help = {std::string(texts_in_tuples)};
    raise(std::move(refusal));
}

} // namespace library
} // namespace pm::stage
