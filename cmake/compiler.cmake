# The language, the compiler and its options. Every library and program of the project links the interface pm_options.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()

# The number of sources of a unit of compilation (docs/architecture.md).
set(PM_UNIT_SIZE 8 CACHE STRING "Sources that are compiled together; 1: each alone")

# ccache and mold make builds faster, if installed.
find_program(PM_CCACHE ccache)
if(PM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PM_CCACHE})
endif()
if(NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld")
  find_program(PM_MOLD mold)
  if(PM_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()

add_library(pm_options INTERFACE)
target_include_directories(pm_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_compile_definitions(pm_options INTERFACE PM_VERSION="${PROJECT_VERSION}")
target_compile_options(pm_options INTERFACE -Wall -Wextra -Wpedantic -Wswitch -Werror -ffp-contract=off)

# With optimisation GCC 12 reports uses of the content of an empty std::optional, and overlaps in std::string, that do not exist
# (GCC bugs 80635, 105329, 105651). Debug builds keep these warnings, and GCC reports the real ones there without inlining.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND (NOT CMAKE_BUILD_TYPE STREQUAL "Debug" OR PM_SANITIZE OR PM_TSAN))
  target_compile_options(pm_options INTERFACE -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                                              -Wno-stringop-overread)
endif()
# GCC collects garbage less often: 5 % of the time of a unit for 130 MB (Xeon, 2.5 GHz).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(pm_options INTERFACE --param=ggc-min-heapsize=1000000)
endif()
# Clang warns of Spirit's `a >> b > c`, and of a deprecated function in the stable_sort of libstdc++ 12.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(pm_options INTERFACE -Wno-overloaded-shift-op-parentheses -Wno-deprecated-declarations)
endif()

if(PM_SANITIZE)
  target_compile_options(pm_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(pm_options INTERFACE -fsanitize=address,undefined)
endif()
if(PM_TSAN)
  target_compile_options(pm_options INTERFACE -fsanitize=thread)
  target_link_options(pm_options INTERFACE -fsanitize=thread)
endif()
if(PM_STATIC_LLVM)
  set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(pm_options INTERFACE -ffunction-sections -fdata-sections)
  target_link_options(pm_options INTERFACE -no-pie -Wl,--gc-sections -static-libstdc++ -static-libgcc)
endif()
