#include "tests/unit/transform/harness.hpp"

namespace pm::transform::test {

const std::vector<Named>& programs() {
    static const std::vector<Named> all = {
        {"flat", R"(
fn f(%0: f64[3], %1: f64) -> (f64, f64[3]) {
  %2: f64[3] = broadcast(%1) shape=[3] dims=[]
  %3: f64[3] = mul(%0, %2)
  %4: f64[3] = sin(%3)
  %5: f64[3] = exp(%4)
  %6: f64[3] = div(%5, %0)
  %7: f64 = reduce_sum(%6) axes=[0]
  %8: f64[3] = mul(%0, %0)
  return %7, %8
})"},
        {"matrix product", R"(
fn f(%0: f64[2, 3], %1: f64[3, 4], %2: f64[4]) -> (f64[2, 4]) {
  %3: f64[2, 4] = dot(%0, %1) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  %4: f64[2, 4] = broadcast(%2) shape=[2, 4] dims=[1]
  %5: f64[2, 4] = add(%3, %4)
  %6: f64[2, 4] = tanh(%5)
  return %6
})"},
        {"constant result", R"(
fn f(%0: f64, %1: i32) -> (f64, f64, i32) {
  %2: f64 = constant() shape=[] dtype=f64 value=f64:2
  %3: f64 = mul(%0, %2)
  %4: f64 = floor(%3)
  %5: i32 = add(%1, %1)
  return %3, %4, %5
})"},
        {"call", R"(
fn @layer(%0: f64[3], %1: f64) -> (f64[3], f64) {
  %2: f64[3] = tanh(%0)
  %3: f64[3] = broadcast(%1) shape=[3] dims=[]
  %4: f64[3] = mul(%2, %3)
  return %4, %1
}
fn f(%0: f64[3], %1: f64, %2: f64) -> (f64[3], f64) {
  %3: f64[3], %4: f64 = call(%0, %1) text="layer" @layer
  %5: f64[3], %6: f64 = call(%3, %4) text="layer" @layer
  %7: f64[3], %8: f64 = call(%5, %2) text="layer" @layer
  return %7, %8
})"},
        {"if", R"(
fn f(%0: f64, %1: f64[2], %2: f64) -> (f64[2], f64) {
  %3: f64 = constant() shape=[] dtype=f64 value=f64:1
  %4: bool = less(%0, %3)
  %5: f64[2], %6: f64 = if(%4, %0, %1, %2) {
    (%0: f64, %1: f64[2], %2: f64) {
      %3: f64[2] = exp(%1)
      %4: f64[2] = broadcast(%0) shape=[2] dims=[]
      %5: f64[2] = mul(%3, %4)
      return %5, %2
    }
    (%0: f64, %1: f64[2], %2: f64) {
      %3: f64 = constant() shape=[] dtype=f64 value=f64:7
      %4: f64[2] = mul(%1, %1)
      return %4, %3
    }
  }
  return %5, %6
})"},
        {"while of data", R"(
fn f(%0: f64, %1: f64) -> (f64, i32) {
  %2: i32 = constant() shape=[] dtype=i32 value=i32:0
  %3: f64, %4: i32 = while(%1, %0, %2) whole=1 carried=2 {
    (%0: f64, %1: f64, %2: i32) {
      %3: f64 = constant() shape=[] dtype=f64 value=f64:9
      %4: bool = less(%1, %3)
      return %4
    }
    (%0: f64, %1: f64, %2: i32) {
      %3: f64 = constant() shape=[] dtype=f64 value=f64:1
      %4: f64 = add(%0, %3)
      %5: f64 = mul(%1, %4)
      %6: i32 = constant() shape=[] dtype=i32 value=i32:1
      %7: i32 = add(%2, %6)
      return %5, %7
    }
  }
  return %3, %4
})"},
        {"while that updates", R"(
fn f(%0: f64[5], %1: i32, %2: f64) -> (f64[5], i32) {
  %3: f64[5], %4: i32, %5: f64 = while(%0, %1, %2) whole=0 carried=3 {
    (%0: f64[5], %1: i32, %2: f64) {
      %3: i32 = constant() shape=[] dtype=i32 value=i32:4
      %4: bool = less(%1, %3)
      return %4
    }
    (%0: f64[5], %1: i32, %2: f64) {
      %3: f64[1] = dynamic_slice(%0, %1) sizes=[1]
      %4: f64[1] = broadcast(%2) shape=[1] dims=[]
      %5: f64[1] = mul(%3, %4)
      %6: f64[5] = dynamic_update(%0, %5, %1)
      %7: i32 = constant() shape=[] dtype=i32 value=i32:1
      %8: i32 = add(%1, %7)
      return %6, %8, %2
    }
  }
  return %3, %4
})"},
        {"scan of all roles", R"(
fn f(%0: f64[3], %1: f64, %2: f64[4, 3], %3: i32) -> (f64, i32, f64[4, 3], f64[4]) {
  %4: f64, %5: i32, %6: f64[4, 3], %7: f64[4] = scan(%0, %1, %3, %2) whole=1 carried=2 length=4 reverse=0 {
    (%0: i32, %1: f64[3], %2: f64, %3: i32, %4: f64[3]) {
      %5: f64[3] = exp(%1)
      %6: f64[3] = mul(%5, %4)
      %7: f64[3] = sin(%6)
      %8: f64 = reduce_sum(%7) axes=[0]
      %9: f64 = mul(%8, %2)
      %10: f64 = convert(%0) dtype=f64
      %11: f64 = add(%9, %10)
      %12: f64 = tanh(%11)
      %13: i32 = add(%3, %0)
      return %12, %13, %7, %12
    }
  }
  return %4, %5, %6, %7
})"},
        {"reversed scan, a carried value active later", R"(
fn f(%0: f64[5]) -> (f64, f64) {
  %1: f64 = constant() shape=[] dtype=f64 value=f64:1
  %2: f64, %3: f64 = scan(%1, %1, %0) whole=0 carried=2 length=5 reverse=1 {
    (%0: i32, %1: f64, %2: f64, %3: f64) {
      %4: f64 = mul(%1, %2)
      %5: f64 = mul(%3, %1)
      %6: f64 = cos(%5)
      return %4, %6
    }
  }
  return %2, %3
})"},
        {"gather in a scan", R"(
fn f(%0: f64[6], %1: i32[4], %2: f64) -> (f64) {
  %3: f64 = scan(%0, %2, %1) whole=1 carried=1 length=4 reverse=0 {
    (%0: i32, %1: f64[6], %2: f64, %3: i32) {
      %4: f64[1] = dynamic_slice(%1, %3) sizes=[1]
      %5: f64 = reshape(%4) shape=[]
      %6: f64[1] = dynamic_slice(%1, %0) sizes=[1]
      %7: f64 = reshape(%6) shape=[]
      %8: f64 = mul(%5, %2)
      %9: f64 = sin(%8)
      %10: f64 = add(%9, %7)
      return %10
    }
  }
  return %3
})"},
        {"nested scans and if", R"(
fn f(%0: f64[4], %1: f64) -> (f64) {
  %2: f64 = scan(%0, %1) whole=1 carried=1 length=3 reverse=0 {
    (%0: i32, %1: f64[4], %2: f64) {
      %3: f64 = scan(%1, %0, %2) whole=2 carried=1 length=4 reverse=0 {
        (%0: i32, %1: f64[4], %2: i32, %3: f64) {
          %4: bool = less_equal(%0, %2)
          %5: f64 = if(%4, %0, %1, %3) {
            (%0: i32, %1: f64[4], %2: f64) {
              %3: f64[1] = dynamic_slice(%1, %0) sizes=[1]
              %4: f64 = reshape(%3) shape=[]
              %5: f64 = mul(%4, %2)
              return %5
            }
            (%0: i32, %1: f64[4], %2: f64) {
              %3: f64 = sin(%2)
              return %3
            }
          }
          return %5
        }
      }
      return %3
    }
  }
  return %2
})"},
        {"updates in a scan", R"(
fn f(%0: f64[4], %1: f64) -> (f64[4]) {
  %2: f64[4] = scan(%1, %0) whole=1 carried=1 length=3 reverse=0 {
    (%0: i32, %1: f64, %2: f64[4]) {
      %3: i32 = constant() shape=[] dtype=i32 value=i32:1
      %4: i32 = add(%0, %3)
      %5: f64[1] = dynamic_slice(%2, %0) sizes=[1]
      %6: f64[1] = dynamic_slice(%2, %4) sizes=[1]
      %7: f64[1] = mul(%5, %6)
      %8: f64[1] = broadcast(%1) shape=[1] dims=[]
      %9: f64[1] = mul(%7, %8)
      %10: f64[4] = dynamic_update(%2, %9, %4)
      return %10
    }
  }
  return %2
})"},
        {"conditional update", R"(
fn f(%0: f64[4], %1: f64, %2: i32) -> (f64[4]) {
  %3: f64 = constant() shape=[] dtype=f64 value=f64:1
  %4: bool = less(%1, %3)
  %5: f64[4] = if(%4, %0, %1, %2) {
    (%0: f64[4], %1: f64, %2: i32) {
      %3: f64[1] = dynamic_slice(%0, %2) sizes=[1]
      %4: f64[1] = sin(%3)
      %5: f64[4] = dynamic_update(%0, %4, %2)
      %6: i32[2] = broadcast(%2) shape=[2] dims=[]
      %7: f64[2] = broadcast(%1) shape=[2] dims=[]
      %8: f64[4] = scatter(%5, %7, %6) axes=[0] batch=0 mode="add"
      return %8
    }
    (%0: f64[4], %1: f64, %2: i32) {
      return %0
    }
  }
  return %5
})"},
        {"gather and scatter", R"(
fn f(%0: f64[4, 2], %1: i32[3], %2: f64[3, 2]) -> (f64[4, 2]) {
  %3: f64[3, 2] = gather(%0, %1) axes=[0] batch=0
  %4: f64[3, 2] = mul(%3, %2)
  %5: f64[4, 2] = scatter(%0, %4, %1) axes=[0] batch=0 mode="add"
  return %5
})"},
        {"one value in several roles", R"(
fn @twice(%0: f64[4], %1: f64[4]) -> (f64[4]) {
  %2: f64[4] = mul(%0, %1)
  %3: f64[4] = sin(%2)
  return %3
}
fn f(%0: f64[4]) -> (f64[4], f64[4]) {
  %1: f64[4] = call(%0, %0) text="twice" @twice
  %2: f64[4] = call(%0, %1) text="twice" @twice
  %3: f64[4], %4: f64[4] = scan(%0, %0, %2, %0) whole=2 carried=1 length=4 reverse=0 {
    (%0: i32, %1: f64[4], %2: f64[4], %3: f64[4], %4: f64) {
      %5: f64[4] = broadcast(%4) shape=[4] dims=[]
      %6: f64[4] = mul(%1, %3)
      %7: f64[4] = mul(%2, %5)
      %8: f64[4] = add(%6, %7)
      %9: f64[1] = dynamic_slice(%8, %0) sizes=[1]
      %10: f64 = reshape(%9) shape=[]
      %11: f64[4] = tanh(%8)
      return %11, %10
    }
  }
  return %3, %4
})"},
        {"nested conditional updates in a while", R"(
fn f(%0: f64[5], %1: i32, %2: f64, %3: f64) -> (f64[5], i32) {
  %4: f64[5], %5: i32 = while(%2, %3, %0, %1) whole=2 carried=2 {
    (%0: f64, %1: f64, %2: f64[5], %3: i32) {
      %4: i32 = constant() shape=[] dtype=i32 value=i32:4
      %5: bool = less(%3, %4)
      return %5
    }
    (%0: f64, %1: f64, %2: f64[5], %3: i32) {
      %4: f64 = constant() shape=[] dtype=f64 value=f64:1
      %5: bool = less(%0, %4)
      %6: f64[5] = if(%5, %1, %2, %3) {
        (%0: f64, %1: f64[5], %2: i32) {
          %3: f64[1] = dynamic_slice(%1, %2) sizes=[1]
          %4: f64[1] = sin(%3)
          %5: f64[5] = dynamic_update(%1, %4, %2)
          %6: f64 = constant() shape=[] dtype=f64 value=f64:1
          %7: bool = less(%0, %6)
          %8: f64[5] = if(%7, %5, %0, %2) {
            (%0: f64[5], %1: f64, %2: i32) {
              %3: f64[1] = broadcast(%1) shape=[1] dims=[]
              %4: i32[1] = broadcast(%2) shape=[1] dims=[]
              %5: f64[5] = scatter(%0, %3, %4) axes=[0] batch=0 mode="mul"
              return %5
            }
            (%0: f64[5], %1: f64, %2: i32) {
              %3: i32 = constant() shape=[] dtype=i32 value=i32:0
              %4: f64[1] = broadcast(%1) shape=[1] dims=[]
              %5: f64[5] = dynamic_update(%0, %4, %3)
              return %5
            }
          }
          return %8
        }
        (%0: f64, %1: f64[5], %2: i32) {
          %3: i32 = constant() shape=[] dtype=i32 value=i32:1
          %4: i32 = add(%2, %3)
          %5: f64[1] = dynamic_slice(%1, %2) sizes=[1]
          %6: f64[5] = dynamic_update(%1, %5, %4)
          return %6
        }
      }
      %7: i32 = constant() shape=[] dtype=i32 value=i32:1
      %8: i32 = add(%3, %7)
      return %6, %8
    }
  }
  return %4, %5
})"},
        {"pmap", R"(
fn f(%0: f64[2, 3], %1: f64[3], %2: f64[3, 2]) -> (f64[2, 3], f64, f64[3, 2]) {
  %3: f64[2, 3], %4: f64, %5: f64[3, 2] = pmap(%0, %1, %2) axis_id=7 axis_name="d" axis_size=2 in_axes=[0, -1, 1] out_axes=[0, -1, 1] tiled=0 {
    (%0: f64[3], %1: f64[3], %2: f64[3]) {
      %3: f64[3] = mul(%0, %1)
      %4: f64[3] = sin(%3)
      %5: f64[3] = mul(%4, %2)
      %6: f64 = reduce_sum(%5) axes=[0]
      %7: f64 = psum(%6) axes=[7] axis_size=2
      %8: f64 = exp(%7)
      %9: f64[3] = broadcast(%7) shape=[3] dims=[]
      %10: f64[3] = mul(%9, %2)
      return %4, %8, %10
    }
  }
  return %3, %4, %5
})"},
        {"tiled pmap", R"(
fn f(%0: f64[4], %1: f64) -> (f64[4], f64) {
  %2: f64[4], %3: f64 = pmap(%0, %1) axis_id=7 axis_name="d" axis_size=2 in_axes=[0, -1] out_axes=[0, -1] tiled=1 {
    (%0: f64[2], %1: f64) {
      %2: f64[2] = broadcast(%1) shape=[2] dims=[]
      %3: f64[2] = mul(%0, %2)
      %4: f64[2] = tanh(%3)
      %5: f64 = reduce_sum(%4) axes=[0]
      %6: f64 = psum(%5) axes=[7] axis_size=2
      %7: f64 = mul(%6, %6)
      %8: f64[2] = mul(%4, %4)
      return %8, %7
    }
  }
  return %2, %3
})"},
        {"scan in a pmap in a scan", R"(
fn f(%0: f64[2, 3], %1: f64[2]) -> (f64[2, 3]) {
  %2: f64[2, 3] = scan(%1, %0) whole=1 carried=1 length=2 reverse=0 {
    (%0: i32, %1: f64[2], %2: f64[2, 3]) {
      %3: f64[2, 3] = pmap(%1, %2) axis_id=3 axis_name="d" axis_size=2 in_axes=[-1, 0] out_axes=[0] tiled=0 {
        (%0: f64[2], %1: f64[3]) {
          %2: f64[3] = scan(%1, %0) whole=0 carried=1 length=2 reverse=0 {
            (%0: i32, %1: f64[3], %2: f64) {
              %3: f64[3] = broadcast(%2) shape=[3] dims=[]
              %4: f64[3] = mul(%1, %3)
              %5: f64[3] = psum(%4) axes=[3] axis_size=2
              %6: f64[3] = sin(%5)
              %7: f64[3] = add(%6, %1)
              return %7
            }
          }
          return %2
        }
      }
      return %3
    }
  }
  return %2
})"},
    };
    return all;
}

} // namespace pm::transform::test
