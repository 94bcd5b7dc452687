// The cache of object files on disk, and polls during a compilation. Also tests that the object files of a program do
// not depend on other programs.
#include "compiler/codegen/jit/object_cache.hpp"
#include "tests/unit/codegen/harness.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

using namespace pm;
using namespace pm::codegen::test;

TEST_CASE("objects are stored in a folder and reused; damaged objects are replaced") {
    const auto folder = std::filesystem::temp_directory_path() / ("pm_codegen_test." + std::to_string(::getpid()));
    std::filesystem::remove_all(folder);
    const auto nest = elementwise(nest::ScalarOp::tanh, DType::f32, {DType::f32}, 100);
    const auto program = nest_program(nest, {{100}, {100}});
    const Array x = random_array(DType::f32, {100}, 1);
    const auto call = [&] {
        codegen::Options options;
        options.cache_folder = folder.string();
        const auto code = codegen::make_jit(options)->compile(program);
        Array out = Array::zeros(DType::f32, {100});
        std::vector<void*> in{const_cast<void*>(x.data())};
        std::vector<void*> results{out.mutable_data()};
        const runtime::CallOptions call_options;
        CHECK(runtime::CallState(call_options).run(code->entry(), in, results, {}, 0));
        CHECK(code->bytes() > 0);
        return out;
    };
    const Array first = call();
    CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
    const auto file = std::filesystem::directory_iterator(folder)->path();
    const auto read = [&] {
        std::ifstream in(file, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const std::string written = read();
    const auto node = std::filesystem::hard_link_count(file);
    std::filesystem::create_hard_link(file, folder / "link"); // storing a file again removes the link
    CHECK(identical(first, call()));
    CHECK(std::filesystem::hard_link_count(file) == node + 1);
    CHECK(read() == written);
    std::filesystem::remove(folder / "link");
    const auto size = std::filesystem::file_size(file);
    for (const std::uintmax_t keep : {size - 1, size / 2, std::uintmax_t{3}}) {
        std::filesystem::resize_file(file, keep);
        CHECK(identical(first, call()));
        CHECK(std::filesystem::file_size(file) == size);
    }
    {
        std::fstream change(file, std::ios::in | std::ios::out | std::ios::binary);
        change.seekp(static_cast<std::streamoff>(size / 2));
        change.put('!');
    }
    CHECK(identical(first, call()));
    std::filesystem::remove(file);
    std::filesystem::create_directory(file); // a folder at the path of the file cannot be read or written
    CHECK(identical(first, call()));
    std::filesystem::remove_all(folder);
}

namespace {

/// A temporary folder, removed by the destructor.
class Folder {
  public:
    explicit Folder(const std::string& name)
        : path(std::filesystem::temp_directory_path() / (name + "." + std::to_string(::getpid()))) {
        std::filesystem::remove_all(path);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string read(const std::string& name) const {
        std::ifstream in(path / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void write(const std::string& name, std::string_view content) const {
        std::ofstream(path / name, std::ios::binary) << content;
    }

    const std::filesystem::path path;
};

} // namespace

TEST_CASE("damaged files of objects are ignored and replaced") {
    const Folder folder("pm_cache_damaged_test");
    const codegen::ObjectCache cache(folder.path.string());
    const std::string one = codegen::ObjectCache::key("one", ""), two = codegen::ObjectCache::key("two", "");
    const codegen::Objects first{"first", std::string("\0object", 7)}, second{"second"};
    cache.store(one, first);
    cache.store(two, second);
    REQUIRE(cache.find(one) == first);
    REQUIRE(cache.find(two) == second);
    const std::string good = folder.read(one);
    CHECK(good.find(one) != std::string::npos);
    const auto ignored = [&](std::string_view content) {
        folder.write(one, content);
        if (cache.find(one)) return false;
        cache.store(one, first);
        return cache.find(one) == first;
    };
    for (std::size_t at = 0; at < good.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            std::string damaged = good;
            damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
            REQUIRE(ignored(damaged));
        }
    for (std::size_t length = 0; length < good.size(); ++length) REQUIRE(ignored(good.substr(0, length)));
    CHECK(ignored(good + '\0'));
    CHECK(ignored(good + good));
    CHECK(ignored(std::string(good.size(), '\0')));
    CHECK(ignored(folder.read(two))); // the file of a different key
    // The format of an older release: magic, checksum, number of objects.
    CHECK(ignored("pmobjs01" + std::string(8, 'x') + std::string("\1\0\0\0\0\0\0\0", 8) + good.substr(8)));
    CHECK(cache.find(two) == second);
}

TEST_CASE("a file of objects larger than the limit of its folder is neither stored nor read") {
    const Folder folder("pm_cache_large_test");
    const std::string key = codegen::ObjectCache::key("large", "");
    const codegen::ObjectCache cache(folder.path.string(), {.bytes = 1000, .files = 10});
    cache.store(key, {std::string(1000, 'x')});
    CHECK_FALSE(std::filesystem::exists(folder.path / key));
    codegen::ObjectCache(folder.path.string()).store(key, {std::string(1000, 'x')});
    CHECK_FALSE(cache.find(key));
}

TEST_CASE("code stored under the key of another program is not run") {
    const Folder folder("pm_cache_swapped_test");
    const Array x = random_array(DType::f32, {100}, 1);
    const auto call = [&](nest::ScalarOp op) {
        codegen::Options options;
        options.cache_folder = folder.path.string();
        const auto code = codegen::make_jit(options)->compile(
            nest_program(elementwise(op, DType::f32, {DType::f32}, 100), {{100}, {100}}));
        Array out = Array::zeros(DType::f32, {100});
        std::vector<void*> in{const_cast<void*>(x.data())}, results{out.mutable_data()};
        const runtime::CallOptions call_options;
        CHECK(runtime::CallState(call_options).run(code->entry(), in, results, {}, 0));
        return out;
    };
    const Array tanh = call(nest::ScalarOp::tanh), exp = call(nest::ScalarOp::exp);
    std::vector<std::filesystem::path> files;
    for (const auto& file : std::filesystem::directory_iterator(folder.path)) files.push_back(file.path());
    REQUIRE(files.size() == 2);
    std::filesystem::rename(files[0], folder.path / "aside");
    std::filesystem::rename(files[1], files[0]);
    std::filesystem::rename(folder.path / "aside", files[1]);
    for (int again = 0; again < 2; ++again) {
        CHECK(identical(tanh, call(nest::ScalarOp::tanh)));
        CHECK(identical(exp, call(nest::ScalarOp::exp)));
    }
}

TEST_CASE("a folder of objects stays within its limits; the least recently used are removed") {
    using namespace std::chrono_literals;
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("pm_cache_test." + std::to_string(::getpid()));
    fs::remove_all(folder);
    const codegen::ObjectCache cache(folder.string(), {.bytes = 256 << 20, .files = 256 * 8});
    // Keys with the same first two characters share 1 MB and 8 files.
    const auto key = [](int i) { return "ab1" + codegen::ObjectCache::key(std::to_string(i), "").substr(3); };
    const auto age = [&](const std::string& name, std::chrono::minutes by) {
        fs::last_write_time(folder / name, fs::file_time_type::clock::now() - by);
    };
    const auto count = [&] { return std::distance(fs::directory_iterator(folder), {}); };
    for (int i = 0; i < 8; ++i) {
        cache.store(key(i), {"object"});
        age(key(i), std::chrono::minutes(100 - i));
    }
    // The limits are not exceeded yet. Old temporary files are removed; new temporary files and unknown files are kept.
    for (const char* name : {"notes", "0123.1.2"}) std::ofstream(folder / name) << "mine";
    for (const char* end : {".77.0", ".77.1"}) std::ofstream(folder / (key(0) + end)) << "half";
    age(key(0) + ".77.0", 61min);
    const std::string other = "cd" + key(0).substr(2);
    cache.store(other, {"object"});
    age(other, 1000min);
    cache.trim_beside(key(1));
    CHECK(count() == 8 + 2 + 1 + 1);
    CHECK_FALSE(fs::exists(folder / (key(0) + ".77.0")));
    // The oldest entry is used, so it is no longer the first entry to be removed.
    CHECK(cache.find(key(0)));
    cache.store(key(8), {"object"});
    cache.trim_beside(key(1));
    CHECK(count() == 6 + 2 + 1 + 1);
    for (int i = 0; i < 9; ++i) CHECK(fs::exists(folder / key(i)) == (i == 0 || i > 3));
    CHECK(fs::exists(folder / "notes"));
    CHECK(fs::exists(folder / other));
    // The limit of bytes is enforced at a store that removes old entries. The most recently used entry is kept, however
    // large.
    std::string similar_key = key(100);
    similar_key[2] = '0';
    cache.store(similar_key, {std::string(std::size_t{900} << 10, 'x')});
    CHECK(count() == 7 + 2 + 1 + 1);
    age(similar_key, 1min);
    cache.store(key(50), {std::string(std::size_t{2000} << 10, 'x')});
    cache.trim_beside(similar_key);
    CHECK(fs::exists(folder / key(50)));
    CHECK(count() == 1 + 2 + 1 + 1);
    fs::remove_all(folder);
}

TEST_CASE("an exception of the poll ends a compilation") {
    const auto program = nest_program(elementwise(nest::ScalarOp::tanh, DType::f32, {DType::f32}, 100), {{100}, {100}});
    std::atomic<int> polls{0};
    CHECK_THROWS_WITH(jit().compile(program,
                                    [&] {
                                        if (++polls == 2) throw std::runtime_error("enough");
                                    }),
                      "enough");
    CHECK(polls == 2);
    CHECK(jit().compile(program, [&] { ++polls; })->bytes() > 0);
    CHECK(polls > 3);
}

TEST_CASE("a long list of steps is divided into functions, and a compilation polls between them") {
    auto program = nest_program(elementwise(nest::ScalarOp::tanh, DType::f32, {DType::f32}, 100), {{100}, {100}});
    const auto other = nest_program(elementwise(nest::ScalarOp::sin, DType::f32, {DType::f32}, 100), {{100}, {100}});
    for (int i = 1; i < 60; ++i) program.steps.push_back((i % 2 == 0 ? program : other).steps.front());
    const auto polls = [&](int function_size) {
        codegen::Options options;
        options.function_size = function_size;
        std::atomic<int> count{0};
        CHECK(codegen::make_jit(options)->compile(program, [&] { ++count; })->bytes() > 0);
        return count.load();
    };
    CHECK(polls(1000000) < 5);
    CHECK(polls(400) > 6);
}

TEST_CASE("a program's objects do not depend on programs compiled before it") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("pm_order_test." + std::to_string(::getpid()));
    const auto programs = [] {
        std::vector<plan::Program> made;
        for (const nest::ScalarOp op : {nest::ScalarOp::tanh, nest::ScalarOp::exp, nest::ScalarOp::add})
            made.push_back(
                nest_program(elementwise(op, DType::f32, std::vector<DType>(nest::operand_count(op), DType::f32), 100),
                             op == nest::ScalarOp::add ? std::vector<Shape>{{100}, {100}, {100}}
                                                       : std::vector<Shape>{{100}, {100}}));
        return made;
    }();
    const auto files_of = [&](const std::vector<plan::Program>& in_order) {
        fs::remove_all(folder);
        codegen::Options options;
        options.cache_folder = folder.string();
        const auto jit = codegen::make_jit(options);
        for (const plan::Program& program : in_order) jit->compile(program);
        std::map<std::string, std::string> files;
        for (const auto& file : fs::directory_iterator(folder)) {
            std::ifstream in(file.path(), std::ios::binary);
            files[file.path().filename().string()] = std::string(std::istreambuf_iterator<char>(in), {});
        }
        return files;
    };
    const auto forwards = files_of(programs);
    CHECK(forwards.size() == programs.size());
    CHECK(forwards == files_of({programs.rbegin(), programs.rend()}));
    fs::remove_all(folder);
}

TEST_CASE("code without LLVM's optimisations differs and has the same results") {
    const auto program = nest_program(elementwise(nest::ScalarOp::tanh, DType::f32, {DType::f32}, 100), {{100}, {100}});
    codegen::Options options;
    options.optimize = false;
    const auto plain = codegen::make_jit(options);
    CHECK(plain->llvm_text(program, true) != jit().llvm_text(program, true));
    const std::vector<Array> x{random_array(DType::f32, {100}, 1)};
    const auto result = [&](codegen::Jit& of) { return run_code(program, *of.compile(program), x, 1).results[0]; };
    CHECK(runtime::identical(result(*plain), result(jit())));
}
