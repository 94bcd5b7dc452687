// Files are replaced completely or not at all. Tests which properties of the old file are kept, and the state of the
// file after an interruption.
#include "runtime/io/replace.hpp"

#include "runtime/io/descriptor.hpp"
#include "tests/unit/child.hpp"
#include "tests/unit/runtime/fails.hpp"
#include "tests/unit/runtime/temporary.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <set>
#include <thread>

using namespace pm::runtime;

namespace {

struct stat status_of(const std::string& path) {
    struct stat status{};
    REQUIRE(::lstat(path.c_str(), &status) == 0);
    return status;
}
mode_t mode_of(const std::string& path) { return status_of(path).st_mode & 07777; }

/// The names of the files in the folder, sorted and separated by blanks.
std::string names_in(const std::string& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.insert(entry.path().filename().string());
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : " ") + name;
    return out;
}

template <class F>
pid_t in_process(F&& work) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child != 0) return child;
    bool good = false;
    try {
        good = work();
    } catch (...) {
    }
    ::_exit(good ? 0 : 1);
}
template <class F>
bool holds_in_process(F&& work) {
    int status = 0;
    const pid_t child = in_process(work);
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Changes to a user without root privileges, whose access the permissions restrict. Returns whether the change
/// succeeded.
bool become_nobody() {
    constexpr id_t nobody = 65534;
    return ::geteuid() != 0 || (::setresgid(nobody, nobody, nobody) == 0 && ::setresuid(nobody, nobody, nobody) == 0);
}

bool unwritable(const std::string& path) {
    try {
        replace_file(path, "new");
    } catch (const Failure& failure) {
        return failure.kind() == FailureKind::file_unwritable;
    }
    return false;
}

} // namespace

TEST_CASE("a replaced file keeps its permissions, and a new file has default permissions") {
    const Temporary here;
    const mode_t mask = ::umask(027);
    replace_file(here / "fresh", "new");
    ::umask(mask);
    CHECK(mode_of(here / "fresh") == 0640);
    for (const mode_t mode : {0600, 0644, 0755, 0200}) {
        REQUIRE(::chmod((here / "fresh").c_str(), mode) == 0);
        const ino_t before = status_of(here / "fresh").st_ino;
        replace_file(here / "fresh", "newer");
        CHECK(mode_of(here / "fresh") == mode);
        CHECK(status_of(here / "fresh").st_ino != before);
    }
    if (::geteuid() == 0) {
        REQUIRE(::chown((here / "fresh").c_str(), 12, 34) == 0);
        replace_file(here / "fresh", "newest");
        CHECK(status_of(here / "fresh").st_uid == 12);
        CHECK(status_of(here / "fresh").st_gid == 34);
    }
    CHECK(names_in(here / "") == "fresh");
}

TEST_CASE("a file is replaced by one that others write, or stays") {
    const Temporary here;
    here.put("file", "old");
    REQUIRE(::chmod((here / "file").c_str(), 0604) == 0);
    std::string made;
    bool named = true;
    const auto write = [&](std::string_view text, bool result) {
        return replace_file_by(here / "file", named, [&](const std::string& name) {
            made = name;
            std::ofstream(name) << text;
            CHECK(Temporary::get(here / "file") == "old");
            return result;
        });
    };
    CHECK(!write("half", false));
    CHECK((Temporary::get(here / "file") == "old" && names_in(here / "") == "file"));
    CHECK(write("new", true));
    CHECK((Temporary::get(here / "file") == "new" && names_in(here / "") == "file"));
    CHECK((mode_of(here / "file") == 0604 && made.starts_with(here / "")));
    here.put("file", "old");
    named = false;
    CHECK(write("newer", true));
    CHECK(
        (Temporary::get(here / "file") == "newer" && names_in(here / "") == "file" && mode_of(here / "file") == 0604));
    CHECK(made.starts_with("/proc/"));
    struct Enough {};
    CHECK_THROWS_AS(replace_file_by(here / "file", true, [](const std::string&) -> bool { throw Enough(); }), Enough);
    CHECK(names_in(here / "") == "file");
    const auto never = [](const std::string&) -> bool {
        FAIL("there is no new file");
        return false;
    };
    CHECK(!replace_file_by("/dev/null", true, never));
    CHECK(fails(FailureKind::file_unwritable, [&] { replace_file_by(here / "none/file", true, never); }));
}

TEST_CASE("if the path is a link, the target of the link is replaced") {
    const Temporary here;
    std::filesystem::create_directory(here / "folder");
    here.put("folder/target", "old");
    std::filesystem::create_symlink("folder/second", here / "first");
    std::filesystem::create_symlink("target", here / "folder/second");
    std::filesystem::create_symlink("folder/made", here / "dangling");
    std::filesystem::create_symlink("round", here / "round");
    replace_file(here / "first", "new");
    replace_file(here / "dangling", "made");
    CHECK(Temporary::get(here / "folder/target") == "new");
    CHECK(Temporary::get(here / "folder/made") == "made");
    CHECK(S_ISLNK(status_of(here / "first").st_mode));
    CHECK(S_ISLNK(status_of(here / "folder/second").st_mode));
    CHECK(S_ISLNK(status_of(here / "dangling").st_mode));
    CHECK(fails(FailureKind::file_unwritable, [&] { replace_file(here / "round", "x"); }));
    CHECK(names_in(here / "") == "dangling first folder round");
    CHECK(names_in(here / "folder") == "made second target");
}

TEST_CASE("special files are written directly") {
    const Temporary here;
    replace_file("/dev/null", "x");
    CHECK(S_ISCHR(status_of("/dev/null").st_mode));
    CHECK(fails(FailureKind::file_unwritable, [] { replace_file("/dev/full", "x"); }));
    CHECK(fails(FailureKind::file_unwritable, [&] { replace_file(here / "", "x"); }));
    CHECK(fails(FailureKind::file_unwritable, [] { replace_file("", "x"); }));

    REQUIRE(::mkfifo((here / "fifo").c_str(), 0600) == 0);
    const int end = ::open((here / "fifo").c_str(), O_RDONLY | O_NONBLOCK);
    replace_file(here / "fifo", "through");
    char text[16] = {};
    CHECK(::read(end, text, sizeof text) == 7);
    CHECK(std::string(text) == "through");
    ::close(end);
    CHECK(S_ISFIFO(status_of(here / "fifo").st_mode));
}

TEST_CASE("an open file of the process is written at its current position") {
    const Temporary here;
    // The position is that of the open file, as when /dev/stdout is redirected to a file.
    const Descriptor file(::open(here.put("output", "").c_str(), O_RDWR | O_CLOEXEC));
    const std::string number = std::to_string(file.number());
    CHECK(::write(file.number(), "a", 1) == 1);
    replace_file("/proc/self/fd/" + number, "b");
    CHECK(::write(file.number(), "c", 1) == 1);
    replace_file("/dev/fd/" + number, "d");
    std::filesystem::create_symlink("/proc/self/fd/" + number, here / "link");
    replace_file(here / "link", "e");
    CHECK(Temporary::get(here / "output") == "abcde");
    CHECK(::lseek(file.number(), 1, SEEK_SET) == 1);
    replace_file("/proc/self/fd/" + number, "B");
    CHECK(Temporary::get(here / "output") == "aBcde");
    const Descriptor read_only(::open((here / "output").c_str(), O_RDONLY | O_CLOEXEC));
    CHECK(fails(FailureKind::file_unwritable,
                [&] { replace_file("/dev/fd/" + std::to_string(read_only.number()), "x"); }));

    const pm_test::ChildEnd end = pm_test::in_child([&] {
        ::dup2(file.number(), STDOUT_FILENO);
        std::fputs("printed, ", stdout);
        replace_file("/dev/stdout", "written, ");
        std::fputs("printed", stdout);
        return std::fflush(stdout);
    });
    CHECK(end.code == 0);
    CHECK(Temporary::get(here / "output") == "aBprinted, written, printed");
    CHECK(names_in(here / "") == "link output");
}

TEST_CASE("pipes and sockets of the process, and readers that close them") {
    int pipe[2];
    REQUIRE(::pipe2(pipe, O_CLOEXEC) == 0);
    Descriptor reader(pipe[0]);
    const Descriptor writer(pipe[1]);
    const std::string path = "/dev/fd/" + std::to_string(writer.number());
    char text[16] = {};
    replace_file(path, "through");
    CHECK(::read(reader.number(), text, sizeof text) == 7);
    CHECK((::fcntl(writer.number(), F_GETFL) & O_NONBLOCK) == 0);
    reader.close();
    sigset_t before, after;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &before);
    const auto broken = failure_of([&] { replace_file(path, "nobody"); });
    REQUIRE(broken);
    CHECK(broken->message() == "cannot write " + path + ": Broken pipe");
    ::pthread_sigmask(SIG_BLOCK, nullptr, &after);
    CHECK(::sigismember(&after, SIGPIPE) == ::sigismember(&before, SIGPIPE));
    ::sigpending(&after);
    CHECK(::sigismember(&after, SIGPIPE) == 0);

    int sockets[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
    Descriptor one(sockets[0]);
    const Descriptor other(sockets[1]);
    const std::string socket = "/proc/self/fd/" + std::to_string(other.number());
    replace_file(socket, "sent");
    CHECK(::read(one.number(), text, sizeof text) == 4);
    one.close();
    CHECK(fails(FailureKind::file_unwritable, [&] { replace_file(socket, "nobody"); }));

    // The reader of a FIFO closes the FIFO during the write.
    const Temporary here;
    REQUIRE(::mkfifo((here / "fifo").c_str(), 0600) == 0);
    std::thread leaves([&] {
        const Descriptor end(::open((here / "fifo").c_str(), O_RDONLY | O_CLOEXEC));
        char some[100];
        CHECK(::read(end.number(), some, sizeof some) > 0);
    });
    CHECK(fails(FailureKind::file_unwritable, [&] { replace_file(here / "fifo", std::string(1 << 20, 'x')); }));
    leaves.join();
}

TEST_CASE("flushing printed text to a full pipe polls") {
    const Temporary here;
    const Descriptor other(::open(here.put("other", "").c_str(), O_WRONLY | O_CLOEXEC));
    const pm_test::ChildEnd end = pm_test::in_child(
        [&] {
            int pipe[2];
            if (::pipe2(pipe, O_NONBLOCK) != 0) return 1;
            const std::string zeros(4096, 0);
            while (::write(pipe[1], zeros.data(), zeros.size()) > 0) {
            }
            ::fcntl(pipe[1], F_SETFL, 0);
            ::dup2(pipe[1], STDOUT_FILENO);
            std::fputs("printed", stdout);
            struct Enough {};
            int calls = 0;
            try {
                replace_file("/dev/fd/" + std::to_string(other.number()), "x", [&] {
                    if (++calls == 3) throw Enough();
                });
            } catch (const Enough&) {
                ::_exit(0); // exit() would flush the text and wait for the pipe
            }
            ::_exit(1);
        },
        std::chrono::seconds(5));
    CHECK(end.code == 0);
}

TEST_CASE("permissions of a file and of its folder are respected") {
    const Temporary here;
    std::filesystem::create_directory(here / "folder");
    for (const char* name : {"folder/mine", "folder/read_only"}) here.put(name, "old");
    REQUIRE(::chmod((here / "folder/mine").c_str(), 0666) == 0);
    REQUIRE(::chmod((here / "folder/read_only").c_str(), 0444) == 0);
    REQUIRE(::chmod((here / "").c_str(), 0755) == 0);
    REQUIRE(::chmod((here / "folder").c_str(), 0777) == 0);
    CHECK(holds_in_process([&] { return become_nobody() && unwritable(here / "folder/read_only"); }));
    // The file cannot be replaced, since the folder is read-only, but the file can be written in place.
    REQUIRE(::chmod((here / "folder").c_str(), 0555) == 0);
    const ino_t before = status_of(here / "folder/mine").st_ino;
    CHECK(holds_in_process([&] {
        if (!become_nobody()) return false;
        replace_file(here / "folder/mine", "new");
        return unwritable(here / "folder/other") && unwritable(here / "folder/read_only");
    }));
    REQUIRE(::chmod((here / "folder").c_str(), 0755) == 0);
    CHECK(status_of(here / "folder/mine").st_ino == before);
    CHECK(Temporary::get(here / "folder/mine") == "new");
    CHECK(Temporary::get(here / "folder/read_only") == "old");
    CHECK(names_in(here / "folder") == "mine read_only");
}

TEST_CASE("after a failure during the write the old file is unchanged and there is no temporary file") {
    const Temporary here;
    here.put("file", "old");
    const std::string large(20 << 20, 'x');
    CHECK(holds_in_process([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit small{1 << 20, 1 << 20};
        if (::setrlimit(RLIMIT_FSIZE, &small) != 0) return false;
        try {
            replace_file(here / "file", large);
        } catch (const Failure&) {
            return true;
        }
        return false;
    }));
    struct Enough {};
    int calls = 0;
    CHECK_THROWS_AS(replace_file(here / "file", large, [&] { calls == 1 ? throw Enough() : void(++calls); }), Enough);
    CHECK(Temporary::get(here / "file") == "old");
    CHECK(names_in(here / "") == "file");
}

TEST_CASE("if the process is killed, the file has either the old or the new content") {
    const Temporary here;
    const std::string contents[] = {std::string(300'000, 'a'), std::string(200'000, 'b')};
    here.put("file", contents[0]);
    constexpr int kills = 200;
    constexpr int signals[] = {SIGKILL, SIGINT, SIGTERM};
    struct sigaction own[std::size(signals)]; // the handlers of the test program, which its child must not have
    for (std::size_t i = 0; i < std::size(signals); ++i) {
        ::sigaction(signals[i], nullptr, &own[i]);
        std::signal(signals[i], SIG_DFL);
    }
    std::mt19937 random(1);
    for (int i = 0; i < kills; ++i) {
        const pid_t child = in_process([&] {
            for (int round = 0;; ++round) replace_file(here / "file", contents[round % 2]);
            return true;
        });
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
        ::kill(child, signals[i % 3]);
        CHECK(::waitpid(child, nullptr, 0) == child);
        const std::string content = Temporary::get(here / "file");
        CHECK((content == contents[0] || content == contents[1]));
    }
    for (std::size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], &own[i], nullptr);
}
