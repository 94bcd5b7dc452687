#include "runtime/gpu/driver/operation_batch.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace pm::runtime::cuda;

namespace {

/// A batch of launches. Each letter is the name of a kernel; 's' is a store of 4 bytes. The words of the operations are
/// consecutive numbers.
Batch batch_of(const std::string& letters) {
    static char kernels[128];
    Batch batch;
    std::uint64_t word = 0;
    for (const char letter : letters) {
        Operation operation{.blocks = 1, .threads = 4};
        if (letter != 's') operation.function = &kernels[static_cast<int>(letter)];
        batch.add(operation, std::vector<std::uint64_t>{word, word + 1});
        word += 2;
    }
    return batch;
}

} // namespace

TEST_CASE("a long batch is divided after whole iterations of a loop") {
    CHECK(batch_of("abcabcab").whole_iterations() == 6);
    CHECK(batch_of("abab").whole_iterations() == 2);
    CHECK(batch_of("sabsas").whole_iterations() == 5);
    CHECK(batch_of("xababab").whole_iterations() == 7);
    CHECK(batch_of("a").whole_iterations() == 1);
}

TEST_CASE("operations are alike if only words and blocks differ; stores must also have the same number of elements") {
    int kernel = 0;
    const Operation launch{.function = &kernel, .blocks = 3, .threads = 32, .first = 1, .count = 2};
    Operation other = launch;
    other.blocks = 4;
    other.first = 9;
    CHECK(alike(launch, other));
    other.cooperative = true;
    CHECK(!alike(launch, other));
    CHECK(!alike({.blocks = 1, .threads = 4}, {.blocks = 2, .threads = 4}));
}

TEST_CASE("the remaining operations of a batch keep their words") {
    Batch batch = batch_of("asbc");
    CHECK(batch.launches() == 3);
    batch.drop(2);
    CHECK(batch.launches() == 2);
    REQUIRE(batch.operations().size() == 2);
    CHECK(batch.words(batch.operations()[0])[0] == 4);
    CHECK(batch.words(batch.operations()[1])[1] == 7);
    batch.drop(2);
    CHECK(batch.empty());
    CHECK(batch.launches() == 0);
    batch.add({.blocks = 1, .threads = 4}, std::vector<std::uint64_t>{5, 6});
    CHECK(batch.words(batch.operations()[0])[1] == 6);
}
