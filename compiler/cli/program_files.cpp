#include "compiler/cli/program_files.hpp"

#include "compiler/base/diagnostic.hpp"

#include <algorithm>
#include <filesystem>

namespace pm::cli {

namespace fs = std::filesystem;

std::vector<ProgramFile> program_files(const std::vector<std::string>& paths) {
    std::vector<ProgramFile> all;
    for (const std::string& path : paths) {
        std::error_code error;
        if (!fs::is_directory(path, error)) {
            all.push_back({path, true});
            continue;
        }
        std::vector<ProgramFile> found;
        for (auto at = fs::recursive_directory_iterator(path, error);
             !error && at != fs::recursive_directory_iterator(); at.increment(error))
            if (at->path().extension() == ".pm" && at->is_regular_file(error))
                found.push_back({(path == "." ? at->path().lexically_relative(".") : at->path()).string()});
        if (error) raise(diagnose(Diag::file_error, {}, fmt::format("cannot read `{}`: {}", path, error.message())));
        std::sort(found.begin(), found.end(),
                  [](const ProgramFile& a, const ProgramFile& b) { return a.path < b.path; });
        all.insert(all.end(), found.begin(), found.end());
    }
    return all;
}

} // namespace pm::cli
