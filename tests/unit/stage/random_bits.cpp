// Compares Threefry, as the native functions compute it that random.pm calls, with the published test vectors of
// Threefry.
#include "tests/unit/stage/harness.hpp"

using namespace pm;
using namespace pm::stage;

TEST_CASE("the block function has its known answers") {
    stage::test::Session s;
    // The counter is (0, 0), which is that of element 0 of the 64-bit words.
    CHECK(s.shown("\"{_random_bits(wrap_key_data(array((0, 0), dtype=u32)), (1,), u64)[0]:016x}\"") ==
          "6b20015999ba4efe");
    // A fold-in of the number d is the block at the counter (0, d).
    CHECK(s.shown("key_data(_random_fold_in(wrap_key_data(array((0, 0), dtype=u32)), 0))") ==
          "[1797259609, 2579123966]");
}

TEST_CASE("an element depends only on the key and on its index") {
    stage::test::Session s;
    s.run("let k = _random_key(11)");
    CHECK(s.shown("all(_random_bits(k, (12,)).reshape(3, 4) == _random_bits(k, (3, 4)))") == "true");
    CHECK(s.shown("all(_random_bits(k, (5,))== _random_bits(k, (9,))[:5])") == "true");
    CHECK(s.shown("all(key_data(_random_split(k, 5)[3]) == key_data(_random_split(k, 9)[3]))") == "true");
    CHECK(s.shown(
              "all(vmap(fn(q) = _random_bits(q, (3,)))(_random_split(k, 4))[2] == _random_bits(_random_split(k, 4)[2], "
              "(3,)))") == "true");
    CHECK(s.shown("all(key_data(wrap_key_data(key_data(_random_split(k, 4)))) == key_data(_random_split(k, 4)))") ==
          "true");
    CHECK(s.shown("jit(fn(seed) = key_data(_random_key(seed)))(5)") == "[0, 5]");
    CHECK(s.shown("key_data(_random_key(4294967301))") == "[1, 5]");
    CHECK(s.shown("key_data(_random_key(-1))") == "[0, 4294967295]");
    CHECK(s.shown("jit(fn(seed) = key_data(_random_key(seed)))(-1)") == "[0, 4294967295]");
}
