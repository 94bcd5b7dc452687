#include "runtime/io/descriptor.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/formats/csv.hpp"
#include "runtime/io/formats/idx.hpp"
#include "runtime/io/formats/npy.hpp"
#include "runtime/io/gzip.hpp"
#include "tests/unit/runtime/fails.hpp"
#include "tests/unit/runtime/temporary.hpp"

#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>

using namespace pm::runtime;

namespace {

std::string noise(std::size_t bytes, unsigned seed, unsigned letters = 256) {
    std::mt19937 random(seed);
    std::string out;
    for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(random() % letters);
    return out;
}

} // namespace

TEST_CASE("files are read and written, missing files are reported") {
    const Temporary here;
    const std::string path = here / "a.txt";
    CHECK_FALSE(file_exists(path));
    CHECK(fails(FailureKind::file_missing, [&] { read_bytes(path); }));
    write_file(path, "one\ntwo\n");
    CHECK(file_exists(path));
    CHECK(read_text(path) == "one\ntwo\n");
    write_file(path, "");
    CHECK(read_bytes(path).empty());
    CHECK(fails(FailureKind::file_unreadable, [&] { read_bytes(here / ""); }));
    CHECK(fails(FailureKind::file_missing, [&] { read_bytes(path + "/below"); }));
    CHECK(fails(FailureKind::file_unsupported, [&] { read_bytes("/dev/zero"); })); // the file has no end
    CHECK(fails(FailureKind::file_unwritable, [&] { write_file(here / "no/such/folder", "x"); }));
    CHECK(fails(FailureKind::file_missing, [&] { read_bytes(std::string("a\0b", 3)); }));
    const std::string large = noise(300000, 1);
    write_file(path, large);
    CHECK(read_bytes(path) == large);
    CHECK(read_bytes("/dev/null").empty());
    CHECK(failure_of([&] { read_bytes(here / "x"); })->message().find("/x") != std::string::npos);
}

TEST_CASE("if the first bytes of a file do not have the format, the file is not read to the end") {
    int polls = 0;
    const auto poll = [&] { ++polls; };
    CHECK(fails(FailureKind::file_malformed, [&] { load_npy("/dev/zero", {}, poll); }));
    CHECK(fails(FailureKind::file_malformed, [&] { load_npz("/dev/zero", {}, poll); }));
    CHECK(fails(FailureKind::file_malformed, [&] { load_idx("/dev/zero", {}, poll); }));
    CHECK(fails(FailureKind::file_malformed, [&] { read_csv("/dev/zero", {.poll = poll}); }));
    CHECK(fails(FailureKind::file_malformed, [&] { read_csv_matrix("/dev/zero", {.poll = poll}); }));
    CHECK(fails(FailureKind::file_malformed, [&] { read_text("/dev/urandom", poll); }));
    CHECK(polls < 20); // reading 1 GiB polls hundreds of times
    const Temporary here;
    const std::string path = here / "cut.txt";
    write_file(path, std::string(65535, 'x') + "\xC3\xA9\xE2\x82\xAC"); // the first 64 KiB end inside a character
    CHECK(read_text(path).size() == 65540);
    write_file(path, std::string(20, 'x') + "\xFF" + std::string(200000, 'x'));
    CHECK(fails(FailureKind::file_malformed, [&] { read_text(path); }));
}

namespace {

/// The exception by which a `poll` ends the wait, after some calls of `poll`.
struct Enough {};
std::function<void()> ends_after(int calls) {
    return [calls]() mutable {
        if (--calls < 0) throw Enough{};
    };
}

} // namespace

TEST_CASE("a wait for a pipe, a terminal or a FIFO polls") {
    const Temporary here;
    const std::string fifo = here / "fifo";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    CHECK_THROWS_AS(read_bytes(fifo, ends_after(2)), Enough); // no process has opened it for writing
    CHECK_THROWS_AS(read_beginning(fifo, 10, ends_after(2)), Enough);
    CHECK_THROWS_AS(write_file(fifo, "text", ends_after(2)), Enough); // no process has opened it for reading
    const std::string large = noise(1 << 20, 5);
    { // a process that has opened both ends and does nothing
        const Descriptor other(::open(fifo.c_str(), O_RDWR | O_CLOEXEC));
        CHECK_THROWS_AS(read_bytes(fifo, ends_after(2)), Enough);
        CHECK_THROWS_AS(write_file(fifo, large, ends_after(4)), Enough); // the FIFO is full
    }
    const Descriptor terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    REQUIRE(terminal);
    REQUIRE(::grantpt(terminal.number()) == 0);
    REQUIRE(::unlockpt(terminal.number()) == 0);
    CHECK_THROWS_AS(read_bytes(::ptsname(terminal.number()), ends_after(2)), Enough);

    // Data that arrives late and in parts is read completely, with and without `poll`.
    for (const std::function<void()>& poll : {std::function<void()>(), std::function<void()>([] {})}) {
        std::string read;
        std::thread reader([&] { read = read_bytes(fifo, poll); });
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        write_file(fifo, large, poll);
        reader.join();
        CHECK(read == large);
        std::thread writer([&] { write_file(fifo, "late"); });
        CHECK(read_beginning(fifo, 2, poll) == "la");
        writer.join();
        std::thread closer([&] { const Descriptor file(::open(fifo.c_str(), O_WRONLY | O_CLOEXEC)); });
        CHECK(read_text(fifo, poll).empty());
        closer.join();
    }
}

TEST_CASE("an invalid path is reported with its reason") {
    const Temporary here;
    const std::string cut = here.put("a", "x") + std::string("\0b", 2);
    CHECK_FALSE(file_exists(cut));
    CHECK_FALSE(file_exists(""));
    const auto message = [](const auto& work) { return failure_of(work)->message(); };
    CHECK(message([&] { read_bytes(cut); }) == "there is no file whose path has a zero byte in it");
    CHECK(message([&] { write_file(cut, "y"); }) == "cannot write a file whose path has a zero byte in it");
    CHECK(message([] { read_bytes(""); }) == "there is no file whose path is empty");
    CHECK(message([] { write_file("", "y"); }) == "cannot write a file whose path is empty");
    CHECK(message([&] { write_file(here / "", "y"); }).ends_with(": Is a directory"));
    CHECK(read_bytes(here / "a") == "x");
}

TEST_CASE("the beginning of a file is read") {
    const Temporary here;
    const std::string path = here.put("a", "0123456789");
    for (const std::uint64_t most : {0, 3, 10, 11})
        CHECK(read_beginning(path, most) == std::string("0123456789").substr(0, most));
    CHECK(read_beginning("/dev/zero", 100000) == std::string(100000, '\0'));
    CHECK(fails(FailureKind::file_missing, [&] { read_beginning(here / "none", 1); }));
}

TEST_CASE("text is UTF-8, without its byte order mark") {
    const Temporary here;
    CHECK(read_text(here.put("bom", "\xEF\xBB\xBFh\xC3\xA9")) == "h\xC3\xA9");
    for (const char* bad :
         {"\xFF", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80", "\xF0\x80\x80\x80"}) {
        const auto failure = failure_of([&] { read_text(here.put("bad", std::string("ab\n\xC3\xA9") + bad)); });
        REQUIRE(failure);
        CHECK(failure->kind() == FailureKind::file_malformed);
        CHECK(failure->line == 2);
        CHECK(failure->column == 2);
    }
    CHECK(read_text(here.put("good", "\xF0\x9F\x98\x80\xE2\x82\xAC")) == "\xF0\x9F\x98\x80\xE2\x82\xAC");
}

TEST_CASE("gzip packs and unpacks, with several members and with padding") {
    for (const std::size_t bytes : {0, 1, 1000, 200000}) {
        const std::string text = noise(bytes, 3, 17);
        CHECK(gunzip(gzip(text), "x") == text);
        CHECK(gunzip(gzip(text) + gzip("tail"), "x") == text + "tail");
        CHECK(gunzip(gzip(text) + std::string(100, '\0'), "x") == text);
        CHECK(inflate_raw(deflate_raw(text), text.size(), "x") == text);
    }
    const Temporary here;
    write_file(here / "t.gz", "packed");
    CHECK(is_gzip(Temporary::get(here / "t.gz")));
    CHECK(read_unpacked(here / "t.gz") == "packed");
    const std::string zeros(5000000, '\0');
    CHECK(gunzip(gzip(zeros), "x") == zeros);
}

TEST_CASE("packing and unpacking poll, and charge their results to the account") {
    const std::string text(8 << 20, 'x');
    const std::string packed = gzip(text);
    const std::string raw = deflate_raw(text);
    CHECK_THROWS_AS(gzip(text, ends_after(20)), Enough);
    CHECK_THROWS_AS(deflate_raw(text, ends_after(20)), Enough);
    CHECK_THROWS_AS(gunzip(packed, "x", ends_after(7)), Enough);
    CHECK_THROWS_AS(inflate_raw(raw, text.size(), "x", ends_after(7)), Enough);
    CHECK_THROWS_AS(crc32_of(text, ends_after(1)), Enough);
    const Temporary here;
    CHECK_THROWS_AS(write_file(here / "t.gz", text, ends_after(20)), Enough);
    CHECK_FALSE(file_exists(here / "t.gz"));

    const auto account = Allocator::create({.limit = 1 << 20});
    CHECK(fails(FailureKind::memory_limit, [&] { gzip(noise(2 << 20, 5), {}, account); }));
    CHECK(fails(FailureKind::memory_limit, [&] { write_file(here / "t.gz", noise(2 << 20, 5), {}, account); }));
    CHECK(fails(FailureKind::memory_limit, [&] { gunzip(packed, "x", {}, account); }));
    CHECK(gunzip(gzip(std::string(1000, 'y'), {}, account), "x", {}, account).size() == 1000);
    CHECK(account->in_use() == 0);
}

TEST_CASE("a gzip file that is cut at any position is truncated, a damaged gzip file is malformed") {
    const std::string packed = gzip(noise(3000, 4, 20));
    for (std::size_t length = 2; length < packed.size(); ++length)
        REQUIRE(fails(FailureKind::file_truncated, [&] { gunzip(std::string_view(packed).substr(0, length), "x"); }));
    // A changed bit is detected, at the latest by the checksum. A change of an unused bit has no effect.
    const std::string whole = gunzip(packed, "x");
    for (std::size_t at = 0; at < packed.size(); ++at) {
        std::string damaged = packed;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        std::string result = whole;
        const auto failure = failure_of([&] { result = gunzip(damaged, "x"); });
        REQUIRE((failure || result == whole));
        if (at + 8 >= packed.size()) REQUIRE(failure); // the last 8 bytes are checksum and length
    }
    CHECK(fails(FailureKind::file_malformed, [&] { gunzip(packed + "rubbish", "x"); }));
    CHECK(fails(FailureKind::file_truncated, [&] { gunzip(packed + packed.substr(0, 30), "x"); }));
}

TEST_CASE("a wrong stated size of a deflate stream is refused") {
    const std::string packed = deflate_raw("hello");
    CHECK(fails(FailureKind::file_malformed, [&] { inflate_raw(packed, 4, "x"); }));
    CHECK(fails(FailureKind::file_malformed, [&] { inflate_raw(packed, 6, "x"); }));
    CHECK(fails(FailureKind::file_malformed, [&] { inflate_raw(packed, std::uint64_t{1} << 35, "x"); }));
    CHECK(fails(FailureKind::file_malformed, [&] { inflate_raw(packed, ~std::uint64_t{0}, "x"); }));
}
