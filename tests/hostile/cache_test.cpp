// Damaged and swapped files of the code cache do not change results.
#include "tests/unit/api/support.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <unistd.h>
#include <vector>

using namespace pm_test;
namespace fs = std::filesystem;

namespace {

class CacheFolder {
  public:
    CacheFolder() : path_(fs::temp_directory_path() / ("pm_hostile_cache." + std::to_string(::getpid()))) {
        fs::remove_all(path_);
    }
    ~CacheFolder() { fs::remove_all(path_); }
    CacheFolder(const CacheFolder&) = delete;
    CacheFolder& operator=(const CacheFolder&) = delete;

    std::string path() const { return path_.string(); }
    /// Sorted by path; keys are the same in each run of a build.
    std::vector<fs::path> files() const {
        std::vector<fs::path> list;
        for (const auto& file : fs::directory_iterator(path_)) list.push_back(file.path());
        std::sort(list.begin(), list.end());
        return list;
    }

  private:
    fs::path path_;
};

std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
void write(const fs::path& path, std::string_view content) { std::ofstream(path, std::ios::binary) << content; }

/// The results of a program of several parts, in a new engine.
std::string run(const std::string& folder) {
    Host host({.workers = 1, .cache_folder = folder});
    return host
        .load("let x = arange(1000.0)\n"
              "fn f(x) = sum(sin(x))\nfn g(x) = max(x * 3 - 1)\nfn h(x) { mut s = 0.0\n for a in x { s = s * 0.5 + a "
              "}\n s }\n"
              "(f(x), g(x), h(x), (x[:4].reshape(2, 2) @ x[4:8].reshape(2, 2)))")
        .value()
        .to_text();
}

} // namespace

TEST_CASE("swapped, damaged or truncated files of the code cache change no result") {
    const CacheFolder folder;
    const std::string expected = run("");
    REQUIRE(run(folder.path()) == expected);
    const std::vector<fs::path> files = folder.files();
    REQUIRE(files.size() >= 3);
    std::vector<std::string> good;
    for (const fs::path& file : files) good.push_back(read(file));
    const auto check = [&](const auto& damage) {
        for (std::size_t i = 0; i < files.size(); ++i) write(files[i], damage(i));
        CHECK(run(folder.path()) == expected);
        CHECK(folder.files() == files);
        for (std::size_t i = 0; i < files.size(); ++i) CHECK((read(files[i]) == good[i])); // the run has replaced them
    };
    check([&](std::size_t i) { return good[(i + 1) % good.size()]; }); // each has the content of the next one
    std::mt19937 random(1);
    check([&](std::size_t i) { return good[i].substr(0, random() % good[i].size()); });
    for (int again = 0; again < 4; ++again)
        check([&](std::size_t i) {
            std::string damaged = good[i];
            damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
            return damaged;
        });
    check([&](std::size_t i) { return "pmobjs01" + good[i].substr(8); }); // an older format
    check([&](std::size_t) { return std::string(); });
}
