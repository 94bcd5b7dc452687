// Whatever a program makes grow keeps to the memory limit: the process takes little more than that.
#include "support.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pm_test;

namespace {

constexpr std::size_t mega = std::size_t{1} << 20;
constexpr std::size_t limit = 64 * mega;
constexpr std::size_t beyond = 32 * mega; ///< code, and what is not counted

/// The most memory that this process has ever had, in bytes.
std::size_t peak() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
    return 0;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool measures = false; // they keep what is freed
#else
constexpr bool measures = true;
#endif

struct Growing {
    const char* text;
    int line;
};

/// A file in a folder of its own, which goes with it.
class PackedZeros {
  public:
    PackedZeros() : folder_(std::filesystem::temp_directory_path() / ("limits" + std::to_string(getpid()))) {
        std::filesystem::create_directories(folder_);
    }
    ~PackedZeros() { std::filesystem::remove_all(folder_); }
    PackedZeros(const PackedZeros&) = delete;
    PackedZeros& operator=(const PackedZeros&) = delete;

    /// 1 MB a hundred times over, packed to a thousandth.
    std::string path(const Host& host) const {
        const std::string one = folder_ / "one.gz";
        CHECK(host.engine.load_text("write_text(\"" + one + "\", \"0\" * " + std::to_string(mega) + ")").ok());
        std::ifstream from(one, std::ios::binary);
        const std::string member((std::istreambuf_iterator<char>(from)), {});
        std::ofstream to(folder_ / "many.gz", std::ios::binary);
        for (int i = 0; i < 100; ++i) to << member;
        return folder_ / "many.gz";
    }

  private:
    std::filesystem::path folder_;
};

const std::vector<Growing> programs{
    {"let t = [x for x in 0..100000000]", 1},
    {"let t = (x for x in 0..100000000)", 1},
    {"mut t = (1, 2)\nwhile true {\n    t = t + t\n}", 3},
    {"mut t = ()\nfor i in 0..100000000 { t = t + (i,) * 100000 }", 2},
    {"mut s = \"0123456789abcdef\"\nwhile true { s = s + s }", 2},
    {"let s = \"a\" * 10000000\nlet t = text.replace(s, \"a\", \"abcdefghijkl\")", 2},
    {"let s = \"a\" * 10000000\nlet t = text.join((s,) * 20)", 2},
    {"let s = \"a\" * 10000000\nlet t = \"{s}{s}{s}{s}{s}{s}{s}{s}\"", 2},
    {"let s = \"a\" * 10000000\nprint((s,) * 20)", 2},
    {"let t = tuple(\"a\" * 10000000)", 1},
    {"let x = linspace(0, 1, 100000000)", 1},
    {"let x = ones(2147483647, u8) + -1", 1},
    {"let t = read_text(\"/dev/zero\")", 1},
    {"let t = (0,) * 200\nfn f(x) {\n    mut y = x\n    for a in t { for b in t { for c in t { y = sin(y) } } }\n    "
     "y\n}\nf(ones(3))",
     4},
};

void check_grown(std::size_t before) {
    if (measures) CHECK(peak() - before <= limit + beyond);
}

/// The engine goes on after what has been refused.
void check_goes_on(const Host& host) {
    const pm::Module after = host.engine.load_text("sum(ones(1000000)) + sum((1, 2))").value();
    CHECK(after.value().number().value() == 1000003);
}

void check_programs(const Host& host, std::size_t before) {
    for (const Growing& program : programs) {
        CAPTURE(program.text);
        const pm::Problem problem = host.engine.load_text(program.text).problem();
        CHECK(problem.code == "PM0512");
        CHECK(problem.line == program.line);
        check_grown(before);
        check_goes_on(host);
    }
}

} // namespace

// It has a process to itself: what others have taken would hide what it takes.
TEST_CASE("growing under a limit" * doctest::skip()) {
    for (const bool interpret : both) {
        Host host({.memory_limit = limit, .files = true, .interpret = interpret});
        pm::Module m = host.load("fn f(x) = x\nfn g(s) = len(s)\nfn h(s) = s + 1\nf(sum(sin(ones(100))))\n"
                                 "fn deep(x, n) = if n == 0 { x } else { deep(x, n - 1) + 1 }");
        const std::size_t before = peak();
        if (!interpret) check_programs(host, before);
        const PackedZeros packed;
        const std::string unpack = "let t = read_text(\"" + packed.path(host) + "\")";
        CHECK(host.engine.load_text(unpack).problem().code == "PM0512");
        // A stride of 0: one element that is copied to 400 MB.
        const float one = 1;
        const pm::View strided(&one, {100 * 1000 * 1000}, {0});
        CHECK(m.function("f").value()(strided).problem().code == "PM0512");
        CHECK(m.function("deep").value()(pm::View(&one, {1}), 998).ok());
        check_grown(before);
        const pm::Value large(std::string(2 * limit, 'a'));
        const pm::Value half(std::string(limit / 2, 'a'));
        const std::size_t with_texts = peak();
        CHECK(m.function("g").value()(large).problem().code == "PM0512");
        CHECK(m.function("g").value()(half).value().integer().value() == static_cast<std::int64_t>(limit / 2));
        const pm::Problem refused = m.function("h").value()(half).problem();
        CHECK(refused.code != "PM0512");
        CHECK(refused.text.size() < mega);
        check_goes_on(host);
        check_grown(with_texts);
    }
}

TEST_CASE("what a program makes grow keeps to the memory limit, and the engine goes on") {
    std::vector<std::string> words{"test_api", "--test-case=growing under a limit", "--no-skip"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    REQUIRE(posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ) == 0);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}
