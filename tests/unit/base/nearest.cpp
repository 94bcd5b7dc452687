#include "compiler/base/nearest.hpp"

#include "compiler/base/diagnostic.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using pm::nearest;
using Lists = std::vector<const pm::NearNames*>;
using Names = std::vector<std::string>;

namespace {

/// The edit distance, computed by the full dynamic-programming table as a reference.
std::size_t edits(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> least(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j)
            if (i == 0 || j == 0)
                least[i][j] = i + j;
            else
                least[i][j] = std::min(
                    {least[i - 1][j] + 1, least[i][j - 1] + 1, least[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
    return least[a.size()][b.size()];
}

} // namespace

TEST_CASE("the nearest name is within two edits, or has the same letters") {
    CHECK(nearest("pmeen", Names{"psum", "pmean", "pmax"}) == "pmean");
    CHECK(nearest("cofnigs", Names{"configs"}) == "configs");
    CHECK(nearest("arangee", Names{"range", "arange"}) == "arange");
    CHECK(nearest("value", Names{"values", "valued"}) == "values");
    CHECK(nearest("value", Names{"vague", "values"}) ==
          "values"); // both names are equally near, but this name has more equal letters at its ends
    CHECK(nearest("value", Names{"values", "vague"}) == "values");
    CHECK(nearest("listen", Names{"silent"}) == "silent");
    CHECK(nearest("x", Names{"y"}).empty());
    CHECK(nearest("ab", Names{"cd"}).empty());
    CHECK(nearest("gradient", Names{"grad"}).empty());
    CHECK(nearest("same", Names{"sane", "same"}) == "same");
    CHECK(nearest("", Names{"a", ""}).empty());
}

TEST_CASE("a name is near if and only if its full edit distance is at most two or its letters are the same") {
    std::mt19937 random(1);
    const auto word = [&] {
        std::string made(6 + random() % 6, ' ');
        for (char& c : made) c = static_cast<char>('a' + random() % 3);
        return made;
    };
    const auto sorted = [](std::string text) {
        std::sort(text.begin(), text.end());
        return text;
    };
    int near = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::string a = word();
        std::string b = word();
        if (i % 2 == 0) {
            b = a;
            for (int k = 0; k < 1 + i % 3; ++k)
                b.insert(random() % (b.size() + 1), 1, 'd').erase(random() % b.size(), 1);
        }
        const bool expected = edits(a, b) <= 2 || sorted(a) == sorted(b);
        CHECK(nearest(a, Names{b}) == (expected ? b : ""));
        near += expected ? 1 : 0;
    }
    CHECK(near > 300);
}

TEST_CASE("of equally near names the one in the first list is chosen") {
    const pm::NearNames inner(Names{"rates"});
    const pm::NearNames outer(Names{"ratio", "rated", "rate"});
    CHECK(nearest("ratex", Lists{&inner, &outer}) == "rates");
    CHECK(nearest("rate", Lists{&inner, &outer}) == "rate");
    CHECK(outer.contains("ratio"));
    CHECK(!outer.contains("rates"));
}

TEST_CASE("names of a million letters are compared in linear time") {
    std::string name(1'000'000, 'a');
    std::string other = name + "b";
    other[500'000] = 'c';
    CHECK(nearest(name, Names{other}) == other);
    other[600'000] = 'c';
    CHECK(nearest(name, Names{other}).empty());
}

TEST_CASE("only the first names of a scope with very many names are compared") {
    pm::NearNames names;
    for (std::size_t i = 0; i < 2 * pm::NearNames::most; ++i) names.add("name" + std::to_string(i));
    CHECK(names.full());
    CHECK(nearest("name10q", Lists{&names}) == "name10");
}
