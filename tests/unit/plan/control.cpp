#include "tests/unit/plan/harness.hpp"

#include <doctest/doctest.h>

using namespace pm::plan;
using namespace pm::plan::testing;

namespace {

/// The body of the first loop or while of the steps; null if the steps contain no loop.
const Steps* loop_body(const Steps& steps) {
    for (const Step& s : steps) {
        if (s.kind() == StepKind::loop) return &s.children[0];
        if (s.kind() == StepKind::while_) return &s.children[1];
        for (const Steps& children : s.children)
            if (const Steps* found = loop_body(children)) return found;
    }
    return nullptr;
}

} // namespace

TEST_CASE("a loop over scalars updates its values in locals in place") {
    const Program p = agrees(R"(fn f(%0: f32, %1: f32[5]) -> (f32, f32[5]) {
  %2: f32, %3: f32[5] = scan(%0, %1) whole=0 carried=1 length=5 {
    (%0: i32, %1: f32, %2: f32) {
      %3: f32 = convert(%0) dtype=f32
      %4: f32 = add(%1, %2)
      %5: f32 = mul(%4, %3)
      return %5, %4
    }
  }
  return %2, %3
})");
    const Steps* body = loop_body(p.steps);
    REQUIRE(body != nullptr);
    CHECK(count_steps(*body, StepKind::copy) == 0);
    CHECK(count_steps(*body, StepKind::nest) == 1);
    CHECK(body->back().kind() == StepKind::poll);
}

TEST_CASE("an array updated in a loop is never copied within it") {
    const Program p = agrees(R"(fn f(%0: f32[100], %1: f32[8]) -> (f32[100]) {
  %2: f32[100] = scan(%0, %1) whole=0 carried=1 length=8 {
    (%0: i32, %1: f32[100], %2: f32) {
      %3: f32[1] = reshape(%2) shape=[1]
      %4: f32[1] = dynamic_slice(%1, %0) sizes=[1]
      %5: f32[1] = add(%3, %4)
      %6: i32 = constant() shape=[] dtype=i32 value=i32:1
      %7: i32 = add(%0, %6)
      %8: f32[100] = dynamic_update(%1, %5, %7)
      return %8
    }
  }
  return %2
})");
    const Steps* body = loop_body(p.steps);
    REQUIRE(body != nullptr);
    CHECK(count_steps(*body, StepKind::copy) == 0);
    CHECK(copies(p) == 1); // the copy of the argument to the result, before the loop
    CHECK(p.arena_bytes == 0);
}

TEST_CASE("two elements of an array are swapped in place") {
    const Program p = agrees(R"(fn f(%0: f32[100], %1: i32) -> (f32[100]) {
  %2: f32[100] = scan(%1, %0) whole=1 carried=1 length=7 {
    (%0: i32, %1: i32, %2: f32[100]) {
      %3: f32[1] = dynamic_slice(%2, %0) sizes=[1]
      %4: f32[1] = dynamic_slice(%2, %1) sizes=[1]
      %5: f32[100] = dynamic_update(%2, %4, %0)
      %6: f32[100] = dynamic_update(%5, %3, %1)
      return %6
    }
  }
  return %2
})");
    CHECK(count_steps(*loop_body(p.steps), StepKind::copy) == 0);
}

TEST_CASE("a convolution in a loop may overwrite an array that is added to it, but not its operand") {
    Options options;
    options.target = &with_convolutions();
    const auto copies_in_iteration = [&](const std::string& convolved) {
        const Program p =
            agrees(R"(fn f(%0: f32[4, 5, 3], %1: f32[3, 1, 3], %2: f32[3]) -> (f32[4, 5, 3]) {
  %3: f32[4, 5, 3] = scan(%1, %2, %0) whole=2 carried=1 length=3 {
    (%0: i32, %1: f32[3, 1, 3], %2: f32[3], %3: f32[4, 5, 3]) {
      %4: f32[4, 5, 3] = tanh(%3)
      %5: f32[4, 5, 3] = convolution()" +
                       convolved +
                       R"(, %1) shape=[4, 5, 3] kind="forward" stride=[1] dilation=[1] padding=[0] groups=1
      %6: f32[4, 5, 3] = broadcast(%2) shape=[4, 5, 3] dims=[2]
      %7: f32[4, 5, 3] = add(%5, %6)
      %8: f32[4, 5, 3] = add(%7, %3)
      return %8
    }
  }
  return %3
})",
                   options);
        const Steps* body = loop_body(p.steps);
        REQUIRE(body != nullptr);
        CHECK(nests(p) == (convolved == "%4" ? 1 : 0));
        return count_steps(*body, StepKind::copy);
    };
    CHECK(copies_in_iteration("%4") == 0);
    CHECK(copies_in_iteration("%3") == 1);
}

TEST_CASE("rows that are moved within one array are computed before any of them is written") {
    const Program p = agrees(R"(fn f(%0: f32[10, 30]) -> (f32[10, 30]) {
  %1: f32[10, 30] = scan(%0) whole=0 carried=1 length=9 {
    (%0: i32, %1: f32[10, 30]) {
      %2: i32 = constant() shape=[] dtype=i32 value=i32:0
      %3: i32 = constant() shape=[] dtype=i32 value=i32:1
      %4: i32 = add(%0, %3)
      %5: f32[1, 30] = dynamic_slice(%1, %0, %2) sizes=[1, 30]
      %6: f32[1, 30] = reverse(%5) axes=[1]
      %7: f32[10, 30] = dynamic_update(%1, %6, %4, %2)
      return %7
    }
  }
  return %1
})");
    CHECK(count_steps(*loop_body(p.steps), StepKind::copy) == 0);
}

TEST_CASE("a value that was read before its array was updated has the old elements") {
    agrees(R"(fn f(%0: f32[100], %1: f32[3]) -> (f32[100], f32[100], f32[2]) {
  %2: i32 = constant() shape=[] dtype=i32 value=i32:4
  %3: f32[100] = neg(%0)
  %4: f32[100] = dynamic_update(%3, %1, %2)
  %5: f32[100] = add(%3, %4)
  %6: f32[2] = slice(%3) start=[4] limit=[6] stride=[1]
  return %4, %5, %6
})");
}

TEST_CASE("carried values that are swapped in each iteration") {
    agrees(R"(fn f(%0: f32[20], %1: f32[20], %2: f32) -> (f32[20], f32[20], f32) {
  %3: f32[20], %4: f32[20], %5: f32 = scan(%0, %1, %2) whole=0 carried=3 length=5 {
    (%0: i32, %1: f32[20], %2: f32[20], %3: f32) {
      %4: f32[20] = broadcast(%3) shape=[20] dims=[]
      %5: f32[20] = add(%1, %4)
      %6: f32 = neg(%3)
      return %2, %5, %6
    }
  }
  return %3, %4, %5
})");
    agrees(R"(fn f(%0: f32[20], %1: f32[20]) -> (f32[20], f32[20]) {
  %2: f32[20], %3: f32[20] = scan(%0, %1) whole=0 carried=2 length=5 {
    (%0: i32, %1: f32[20], %2: f32[20]) {
      return %2, %1
    }
  }
  return %2, %3
})");
}

TEST_CASE("a stencil does not overwrite elements before it reads them") {
    const Program p = agrees(R"(fn f(%0: f32[20]) -> (f32[20]) {
  %1: f32[20] = scan(%0) whole=0 carried=1 length=5 {
    (%0: i32, %1: f32[20]) {
      %2: f32[20] = reverse(%1) axes=[0]
      %3: f32[20] = add(%1, %2)
      return %3
    }
  }
  return %1
})");
    CHECK(count_steps(*loop_body(p.steps), StepKind::copy) == 1);
    const Program in_place = agrees(R"(fn f(%0: f32[20], %1: f32[20]) -> (f32[20]) {
  %2: f32[20] = scan(%1, %0) whole=1 carried=1 length=5 {
    (%0: i32, %1: f32[20], %2: f32[20]) {
      %3: f32[20] = mul(%1, %2)
      %4: f32[20] = add(%3, %2)
      return %4
    }
  }
  return %2
})");
    CHECK(count_steps(*loop_body(in_place.steps), StepKind::copy) == 0);
}

TEST_CASE("nested loops slice arrays along both axes, forwards and backwards") {
    const Program p = agrees(R"(fn f(%0: f32[3, 4], %1: f32) -> (f32, f32[3, 4], f32[3]) {
  %2: f32, %3: f32[3, 4], %4: f32[3] = scan(%1, %0) whole=0 carried=1 length=3 reverse=1 {
    (%0: i32, %1: f32, %2: f32[4]) {
      %3: f32, %4: f32[4] = scan(%1, %2) whole=0 carried=1 length=4 {
        (%0: i32, %1: f32, %2: f32) {
          %3: f32 = mul(%1, %2)
          %4: f32 = add(%3, %2)
          return %4, %3
        }
      }
      return %3, %4, %3
    }
  }
  return %2, %3, %4
})");
    CHECK(copies(p) <= 3);
}

TEST_CASE("the condition of a while reads carried values") {
    agrees(R"(fn f(%0: f32, %1: f32[6]) -> (f32[6], i32) {
  %2: i32 = constant() shape=[] dtype=i32 value=i32:0
  %3: f32[6], %4: i32 = while(%0, %1, %2) whole=1 carried=2 {
    (%0: f32, %1: f32[6], %2: i32) {
      %3: f32 = reduce_sum(%1) axes=[0]
      %4: f32 = constant() shape=[] dtype=f32 value=f32:40
      %5: bool = less(%3, %4)
      %6: i32 = constant() shape=[] dtype=i32 value=i32:20
      %7: bool = less(%2, %6)
      %8: bool = and(%5, %7)
      return %8
    }
    (%0: f32, %1: f32[6], %2: i32) {
      %3: f32[6] = constant() shape=[6] dtype=f32 value=f32:1.5
      %4: f32[6] = add(%1, %3)
      %5: i32 = constant() shape=[] dtype=i32 value=i32:1
      %6: i32 = add(%2, %5)
      return %4, %6
    }
  }
  return %3, %4
})");
}

TEST_CASE("a branch updates a carried array in place") {
    const Program p = agrees(R"(fn f(%0: f32[50], %1: bool[6]) -> (f32[50]) {
  %2: f32[50] = scan(%0, %1) whole=0 carried=1 length=6 {
    (%0: i32, %1: f32[50], %2: bool) {
      %3: f32[50] = if(%2, %1, %0) {
        (%0: f32[50], %1: i32) {
          %2: f32[1] = constant() shape=[1] dtype=f32 value=f32:7
          %3: f32[50] = dynamic_update(%0, %2, %1)
          return %3
        }
        (%0: f32[50], %1: i32) {
          return %0
        }
      }
      return %3
    }
  }
  return %2
})");
    CHECK(count_steps(*loop_body(p.steps), StepKind::copy) == 0);
}

TEST_CASE("the value of an early return is copied only in the iteration that returns it") {
    const Program p = agrees(R"(fn f(%0: f32[6], %1: i32) -> (f32[6], f32[6], i32) {
  %2: f32[6] = constant() shape=[6] dtype=f32 value=f32:0
  %3: i32 = constant() shape=[] dtype=i32 value=i32:0
  %4: f32[6], %5: f32[6], %6: i32 = scan(%1, %0, %2, %3) whole=1 carried=3 length=5 reverse=0 {
    (%0: i32, %1: i32, %2: f32[6], %3: f32[6], %4: i32) {
      %5: i32 = constant() shape=[] dtype=i32 value=i32:0
      %6: bool = equal(%4, %5)
      %7: f32[6], %8: f32[6], %9: i32 = if(%6, %0, %1, %2, %3) {
        (%0: i32, %1: i32, %2: f32[6], %3: f32[6]) {
          %4: bool = equal(%0, %1)
          %5: i32, %6: f32[6] = if(%4, %2, %3) {
            (%0: f32[6], %1: f32[6]) {
              %2: i32 = constant() shape=[] dtype=i32 value=i32:1
              return %2, %0
            }
            (%0: f32[6], %1: f32[6]) {
              %2: i32 = constant() shape=[] dtype=i32 value=i32:0
              return %2, %1
            }
          }
          %7: i32 = constant() shape=[] dtype=i32 value=i32:0
          %8: bool = equal(%5, %7)
          %9: f32[6], %10: f32[6], %11: i32 = if(%8, %0, %2, %6) {
            (%0: i32, %1: f32[6], %2: f32[6]) {
              %3: f32[1] = constant() shape=[1] dtype=f32 value=f32:7
              %4: f32[6] = dynamic_update(%1, %3, %0)
              %5: i32 = constant() shape=[] dtype=i32 value=i32:0
              return %4, %2, %5
            }
            (%0: i32, %1: f32[6], %2: f32[6]) {
              %3: i32 = constant() shape=[] dtype=i32 value=i32:1
              return %1, %2, %3
            }
          }
          return %9, %10, %11
        }
        (%0: i32, %1: i32, %2: f32[6], %3: f32[6]) {
          %4: i32 = constant() shape=[] dtype=i32 value=i32:1
          return %2, %3, %4
        }
      }
      return %7, %8, %9
    }
  }
  return %4, %5, %6
})");
    CHECK(count_steps(*loop_body(p.steps), StepKind::copy) == 1);
}

TEST_CASE("branches whose results are arrays and scalars, and branches with constant operands") {
    agrees(R"(fn f(%0: bool, %1: f32[4], %2: f32[4]) -> (f32[4], f32[4], f32) {
  %3: f32 = constant() shape=[] dtype=f32 value=f32:3
  %4: f32[4], %5: f32[4], %6: f32 = if(%0, %1, %2, %3) {
    (%0: f32[4], %1: f32[4], %2: f32) {
      %3: f32[4] = broadcast(%2) shape=[4] dims=[]
      %4: f32[4] = mul(%0, %3)
      return %4, %0, %2
    }
    (%0: f32[4], %1: f32[4], %2: f32) {
      %3: f32 = reduce_sum(%1) axes=[0]
      return %1, %1, %3
    }
  }
  return %4, %5, %6
})");
}

TEST_CASE("calls that were not inlined are planned as part of the caller") {
    agrees(R"(fn @double g(%0: f32[3]) -> (f32[3]) {
  %1: f32[3] = add(%0, %0)
  return %1
}
fn f(%0: f32[3]) -> (f32[3]) {
  %1: f32[3] = call(%0) @double
  %2: f32[3] = call(%1) @double
  return %2
})");
}

TEST_CASE("scatter in a loop accumulates in place") {
    const Program p = agrees(R"(fn f(%0: f32[10], %1: i32[4, 3], %2: f32[4, 3]) -> (f32[10]) {
  %3: f32[10] = scan(%0, %1, %2) whole=0 carried=1 length=4 {
    (%0: i32, %1: f32[10], %2: i32[3], %3: f32[3]) {
      %4: f32[10] = scatter(%1, %3, %2) axes=[0] mode="add" batch=0
      return %4
    }
  }
  return %3
})");
    CHECK(count_steps(*loop_body(p.steps), StepKind::copy) == 0);
}

TEST_CASE("a large constant table is a constant of the program") {
    const Program p = agrees(R"(fn f(%0: i32[4]) -> (f32[4]) {
  %1: f32[3] = constant() shape=[3] dtype=f32 value=f32:[1, 2, 4]
  %2: f32[4] = gather(%1, %0) axes=[0] batch=0
  return %2
})");
    CHECK(p.constants.size() == 1);
    CHECK(nests(p) == 1);
}

TEST_CASE("steps of the condition's block do not overwrite the condition of a `while`") {
    Options options;
    options.locals = false;
    agrees(R"(fn f(%0: f32, %1: i32) -> (f32) {
  %2: f32 = while(%1, %0) whole=1 carried=1 {
    (%0: i32, %1: f32) {
      %2: f32 = constant() shape=[] dtype=f32 value=f32:40
      %3: bool = less(%1, %2)
      %4: i32 = constant() shape=[] dtype=i32 value=i32:256
      %5: i32 = mul(%0, %4)
      %6: i32 = scan(%5) whole=0 carried=1 length=3 {
        (%0: i32, %1: i32) {
          %2: i32 = neg(%1)
          return %2
        }
      }
      %7: i32 = constant() shape=[] dtype=i32 value=i32:100000
      %8: bool = less(%6, %7)
      check(%8) text="too large" diagnostic="assertion_failed"
      return %3
    }
    (%0: i32, %1: f32) {
      %2: f32 = constant() shape=[] dtype=f32 value=f32:7.5
      %3: f32 = add(%1, %2)
      %4: f32 = constant() shape=[] dtype=f32 value=f32:50
      %5: bool = less(%3, %4)
      check(%5) text="one turn too many" diagnostic="assertion_failed"
      return %3
    }
  }
  return %2
})",
           options);
}

TEST_CASE("a branch with one array as two operands does not overwrite it before reading it") {
    agrees(R"(fn f(%0: f32[10], %1: bool[3], %2: i32[10]) -> (f32[10]) {
  %3: f32[10] = scan(%2, %0, %1) whole=1 carried=1 length=3 {
    (%0: i32, %1: i32[10], %2: f32[10], %3: bool) {
      %4: f32[10] = if(%3, %2, %2, %1) {
        (%0: f32[10], %1: f32[10], %2: i32[10]) {
          %3: f32[10] = scatter(%0, %1, %2) axes=[0] mode="add" batch=0
          return %3
        }
        (%0: f32[10], %1: f32[10], %2: i32[10]) {
          return %0
        }
      }
      return %4
    }
  }
  return %3
})");
}

TEST_CASE("values that read an array are computed before a loop that overwrites it, so that it is not copied") {
    const Program p = agrees(R"(fn f(%0: f32[20], %1: f32[20]) -> (f32[20], f32[20]) {
  %2: f32[20] = tanh(%0)
  %3: f32[20] = add(%2, %1)
  %4: f32[20] = scan(%1, %2) whole=1 carried=1 length=3 {
    (%0: i32, %1: f32[20], %2: f32[20]) {
      %3: f32[20] = mul(%1, %2)
      return %3
    }
  }
  %5: f32[20] = sub(%3, %4)
  return %4, %5
})");
    CHECK(copies(p) == 0);
}
