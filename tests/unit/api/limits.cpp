// The memory limit applies to all data whose size a program determines. So the process must not use much more memory
// than the limit.
#include "support.hpp"
#include "tests/unit/child.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pm_test;

namespace {

constexpr std::size_t mega = std::size_t{1} << 20;
constexpr std::size_t limit = 64 * mega;
constexpr std::size_t beyond = 32 * mega; ///< allowance for code and for memory that is not counted

/// The largest amount of memory that this process has had, in bytes.
std::size_t peak() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
    return 0;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool measures = false; // the sanitizers do not return freed memory
#else
constexpr bool measures = true;
#endif

struct Growing {
    const char* text;
    int line;
};

/// A temporary folder for the test; it is the current folder during the lifetime of the object.
class Folder {
  public:
    Folder()
        : before_(std::filesystem::current_path()),
          folder_(std::filesystem::temp_directory_path() / ("limits" + std::to_string(getpid()))) {
        std::filesystem::create_directories(folder_);
        std::filesystem::current_path(folder_);
    }
    ~Folder() {
        std::filesystem::current_path(before_);
        std::filesystem::remove_all(folder_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    /// Writes a gzip file of 100 members of 1 MB of zeros each, compressed to a thousandth, and returns its path.
    std::string packed_zeros(const Host& host) const {
        const std::string one = folder_ / "one.gz";
        CHECK(host.engine.load_text("write_text(\"" + one + "\", \"0\" * " + std::to_string(mega) + ")").ok());
        std::ifstream from(one, std::ios::binary);
        const std::string member((std::istreambuf_iterator<char>(from)), {});
        std::ofstream to(folder_ / "many.gz", std::ios::binary);
        for (int i = 0; i < 100; ++i) to << member;
        return folder_ / "many.gz";
    }

  private:
    std::filesystem::path before_;
    std::filesystem::path folder_;
};

/// Programs that exceed the limit, each with the line of the error.
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
    {"let t = (fn(x) = x + i for i in 0..1000000)", 1},
    {"mut f = fn(x) = x\nwhile true {\n    let g = f\n    f = fn(x) = g(x) + 1\n}", 4},
    {"plot(linspace(0, 1, 1000000), file=\"plot.svg\")", 1},
    {"let x = random.uniform(random.key(0), (6000000,))\nwrite_csv(\"t.csv\", x)", 2},
    {"write_csv(\"t.csv\", {a: (\"0123456789\",) * 1000000})", 1},
    {"save_npy(\"t.npy.gz\", random.bits(random.key(0), (7000000,)))", 1},
    {"save_npz(\"t.npz\", {a: ones(7000000), b: ones(7000000)})", 1},
    {"let t = (0,) * 200\nfn f(x) {\n    mut y = x\n    for a in t { for b in t { for c in t { y = sin(y) } } }\n    "
     "y\n}\nf(ones(3))",
     4},
};

/// Programs whose memory is below the limit at all times.
const std::vector<const char*> modest{
    // Many blocks of one size, then many of the next size, from small blocks to blocks that are mapped individually.
    "for (n, size) in ((20000, 400), (5000, 2000), (1000, 12000), (500, 26000)) {\n"
    "    let kept = (zeros((size,)) + i for i in 0..n)\n}",
    // Texts and tuples, which are allocated outside of the allocator.
    "for n in (10, 100, 1000, 10000) {\n    let kept = (\"a\" * n + \"{i}\" for i in 0..20000000 // (n + 300))\n}",
    "for n in (1, 10, 100) {\n    let kept = ((i,) * n for i in 0..20000000 // (40 * n + 300))\n}",
    "let f = (fn(x) = x + i for i in 0..20000)\nf[7](1)",
    "plot(linspace(0, 1, 300000), file=\"plot.svg\")",
    "let x = random.uniform(random.key(0), (400000,))\nwrite_csv(\"t.csv\", x)\nlet y = read_csv(\"t.csv\", "
    "header=false)",
    "let x = random.bits(random.key(0), (400000,))\nsave_npy(\"t.npy.gz\", x)\nlet y = load_npy(\"t.npy.gz\")",
    "let x = ones(3000000)\nsave_npz(\"t.npz\", {x: x}, compress=true)\nlet y = load_npz(\"t.npz\")",
};

void check_grown(std::size_t before) {
    if (measures) CHECK(peak() - before <= limit + beyond);
}

/// After an allocation was refused, the engine remains usable.
void check_continues(const Host& host) {
    const pm::Module after = host.engine.load_text("sum(ones(1000000)) + sum((1, 2))").value();
    CHECK(after.value().number().value() == 1000003);
}

void check_programs(const Host& host, std::size_t before) {
    for (const Growing& program : programs) {
        INFO(std::string(program.text));
        const pm::Problem problem = host.engine.load_text(program.text).problem();
        CHECK(problem.code == "PM0512");
        CHECK(problem.line == program.line);
        check_grown(before);
        check_continues(host);
    }
}

void check_modest(const Host& host, std::size_t before) {
    for (const char* program : modest) {
        INFO(std::string(program));
        const auto made = host.engine.load_text(program);
        CHECK(made.problem().message == "");
        check_grown(before);
    }
}

constexpr const char* growing = "growing under a limit";
constexpr const char* all_grown = "all programs have grown\n"; ///< the process prints this line at its end

} // namespace

// The test runs in a separate process, because memory of earlier tests would hide the peak of this test.
TEST_CASE(growing* doctest::skip()) {
    const Folder folder;
    for (const bool interpret : both) {
        Host host({.memory_limit = limit, .files = true, .interpret = interpret});
        pm::Module m = host.load("fn f(x) = x\nfn g(s) = len(s)\nfn h(s) = s + 1\nf(sum(sin(ones(100))))\n"
                                 "fn deep(x, n) = if n == 0 { x } else { deep(x, n - 1) + 1 }");
        const std::size_t before = peak();
        check_modest(host, before);
        if (!interpret) check_programs(host, before);
        const std::string unpack = "let t = read_text(\"" + folder.packed_zeros(host) + "\")";
        CHECK(host.engine.load_text(unpack).problem().code == "PM0512");
        // With a stride of 0, one element is copied to 400 MB.
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
        check_continues(host);
        check_grown(with_texts);
    }
    std::fputs(all_grown, stdout);
}

TEST_CASE("programs that grow fail at the memory limit, and the engine remains usable") {
    std::vector<std::string> words{"test_api", std::string("--test-case=") + growing, "--no-skip"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int output[2];
    REQUIRE(::pipe2(output, O_CLOEXEC) == 0);
    posix_spawn_file_actions_t files;
    REQUIRE(::posix_spawn_file_actions_init(&files) == 0);
    REQUIRE(::posix_spawn_file_actions_adddup2(&files, output[1], STDOUT_FILENO) == 0);
    pid_t process = 0;
    REQUIRE(::posix_spawn(&process, "/proc/self/exe", &files, nullptr, arguments.data(), environ) == 0);
    ::posix_spawn_file_actions_destroy(&files);
    ::close(output[1]);
    std::string said;
    const bool in_time = child::read_to_end(output[0], said, std::chrono::minutes(10));
    ::close(output[0]);
    if (!in_time) ::kill(process, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(process, &status, 0) == process);
    INFO(said);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(said.find(all_grown) != std::string::npos); // a process that ran no test exits with 0 too
}
