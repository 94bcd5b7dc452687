#include "compiler/stage/call/binding.hpp"

#include "compiler/stage/call/library_call.hpp"
#include "compiler/stage/known/signature.hpp"

#include <fmt/format.h>

#include <unordered_map>

namespace pm::stage {
void require_one_argument(DType dtype, const CallArguments& given) {
    if (given.positional.size() != 1 || !given.named.empty())
        raise(diagnose(Diag::wrong_argument_count, given.span, runtime::name(dtype), "1 argument",
                       given.positional.size() + given.named.size())
                  .fix(fmt::format("convert one value: {}(x)", runtime::name(dtype))));
}

std::vector<Bound> match(const Function& function, bool library, CallArguments& given) {
    const syntax::Module& tree = *function.closure()->module;
    const syntax::Function& f = function.closure()->text();
    const auto name = [&] {
        std::string said = library ? library_name(function) : function.name;
        return said.empty() ? "fn" : said;
    };
    const std::size_t count = f.parameters.size();
    const bool rest = count > 0 && f.parameters.back().rest;
    const std::size_t fixed = rest ? count - 1 : count;
    std::size_t least = 0;
    for (std::size_t i = 0; i < fixed; ++i)
        if (!f.parameters[i].otherwise) ++least;

    const auto call_form = [&](bool all) { // `all`: with all parameters; else only with parameters that have no default
        std::vector<std::string> names;
        for (std::size_t i = 0; i < fixed; ++i)
            if (all || !f.parameters[i].otherwise)
                names.push_back(std::holds_alternative<syntax::NamePattern>(tree[f.parameters[i].pattern].node)
                                    ? function.closure()->parameter_name(f.parameters[i])
                                    : "(...)");
        return fmt::format("{}({})", name(), fmt::join(names, ", "));
    };

    const auto declared = [&](Diagnostic d) {
        const std::string form = library ? library_form(function) : "";
        if (!library) d.label(f.signature, "defined here");
        if (!form.empty()) d.notes.push_back(form);
        return d;
    };

    std::vector<Bound> bound(count);
    for (std::size_t i = 0; i < count; ++i)
        bound[i].span = f.parameters[i].otherwise ? tree[f.parameters[i].otherwise].span : f.parameters[i].span;
    const auto place = [](const std::vector<Span>& spans, std::size_t i, Span otherwise) {
        return i < spans.size() ? spans[i] : otherwise;
    };
    if (given.positional.size() > fixed && !rest) {
        auto d = diagnose(Diag::wrong_argument_count, given.span, name(), argument_count(least, fixed, false),
                          given.positional.size());
        raise(declared(std::move(d)).fix("call it as " + call_form(true)));
    }
    for (std::size_t i = 0; i < given.positional.size() && i < fixed; ++i)
        bound[i] = {given.positional[i], place(given.positional_spans, i, f.parameters[i].span)};
    if (rest) {
        std::vector<Value> more;
        for (std::size_t i = fixed; i < given.positional.size(); ++i) more.push_back(given.positional[i]);
        bound[fixed] = {Value::tuple(std::move(more)), place(given.positional_spans, fixed, f.parameters[fixed].span)};
    }
    std::vector<std::string> names;
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < fixed && !given.named.empty(); ++i) {
        names.push_back(function.closure()->parameter_name(f.parameters[i]));
        places[names.back()] = i;
    }
    for (std::size_t n = 0; n < given.named.size(); ++n) {
        const auto& [key, value] = given.named[n];
        const auto place_of_key = places.find(key);
        const std::size_t at = place_of_key == places.end() ? fixed : place_of_key->second;
        const Span span = given.name_place(n);
        if (at == fixed) refuse_name(name(), names, given, n, declared);
        if (bound[at].value) raise(diagnose(Diag::argument_twice, span, name(), key));
        bound[at] = {value, place(given.named_spans, n, f.parameters[at].span)};
    }
    for (std::size_t i = 0; i < fixed; ++i)
        if (!bound[i].value && !f.parameters[i].otherwise) {
            if (given.named.empty())
                raise(declared(diagnose(Diag::wrong_argument_count, given.span, name(),
                                        argument_count(least, fixed, rest), given.positional.size()))
                          .fix("call it as " + call_form(false)));
            raise(declared(diagnose(Diag::missing_argument, given.span, name(),
                                    function.closure()->parameter_name(f.parameters[i]))));
        }
    return bound;
}

void require_arguments(const Stager& stager, const Value& function, CallArguments given) {
    if (const DType* dtype = function.dtype()) return require_one_argument(*dtype, given);
    const Function* f = function.function();
    if (!f || f->is_derived()) return;
    const LibraryCall library(stager, function, given);
    try {
        if (f->native())
            bind_native(*f->native(), signature_of(*f->native()), given);
        else
            match(*f, stager.places().of_library(*f), given);
    } catch (Error& e) {
        if (library) library.rewrite(e.diagnostic(), true);
        throw;
    }
}

} // namespace pm::stage
