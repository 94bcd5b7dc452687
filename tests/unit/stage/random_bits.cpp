// Threefry against its published known answers, through the natives that random.pm is made of.
#include "tests/unit/stage/harness.hpp"

using namespace pm;
using namespace pm::stage;

TEST_CASE("the block function gives its known answers") {
    stage::test::Session s;
    // The counter (0, 0): element 0 of 64-bit words.
    CHECK(s.shown("\"{random_bits(wrap_key_data(array((0, 0), dtype=u32)), (1,), u64)[0]:016x}\"") ==
          "6b20015999ba4efe");
    // Keys as counters: a fold-in of data d is the block at (0, d).
    CHECK(s.shown("key_data(random_fold_in(wrap_key_data(array((0, 0), dtype=u32)), 0))") ==
          "[1797259609, 2579123966]");
}

TEST_CASE("an element depends on the key and on its number alone") {
    stage::test::Session s;
    s.run("let k = random_key(11)");
    CHECK(s.shown("all(random_bits(k, (12,)).reshape(3, 4) == random_bits(k, (3, 4)))") == "true");
    CHECK(s.shown("all(random_bits(k, (5,))== random_bits(k, (9,))[:5])") == "true");
    CHECK(s.shown("all(key_data(random_split(k, 5)[3]) == key_data(random_split(k, 9)[3]))") == "true");
    CHECK(s.shown("all(vmap(fn(q) = random_bits(q, (3,)))(random_split(k, 4))[2] == random_bits(random_split(k, 4)[2], "
                  "(3,)))") == "true");
    CHECK(s.shown("all(key_data(wrap_key_data(key_data(random_split(k, 4)))) == key_data(random_split(k, 4)))") ==
          "true");
    CHECK(s.shown("jit(fn(seed) = key_data(random_key(seed)))(5)") == "[0, 5]");
    CHECK(s.shown("key_data(random_key(4294967301))") == "[1, 5]");
}
