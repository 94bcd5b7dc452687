// pm fmt.
#include "compiler/syntax/format.hpp"
#include "compiler/cli/options.hpp"
#include "compiler/cli/program_files.hpp"
#include "runtime/io/replace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace pm::cli {
namespace {

int format_one(const Options& options, const std::string& file) {
    SourceMap sources;
    return guarded(options, &sources, [&] {
        const bool input = file == "-";
        const std::uint32_t source = sources.add(input ? "<input>" : file, input ? read_input() : read_file(file));
        syntax::Formatted formatted = syntax::format_source(sources, source);
        if (!formatted.ok()) throw api::SyntaxErrors(std::move(formatted.errors));
        const bool same = formatted.text == sources[source].text();
        if (options.check) {
            if (!same) fmt::print("{}\n", sources[source].name());
            return static_cast<int>(same ? exit_done : exit_error);
        }
        if (input)
            std::fwrite(formatted.text.data(), 1, formatted.text.size(), stdout);
        else if (!same)
            runtime::replace_file(file, formatted.text);
        return static_cast<int>(exit_done);
    });
}

} // namespace

int format(Options& options) {
    return guarded(options, nullptr, [&] {
        int code = exit_done;
        for (const ProgramFile& file : program_files(options.files))
            code = std::max(code, format_one(options, file.path));
        return code;
    });
}

} // namespace pm::cli
