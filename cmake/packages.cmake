# Packages of the system that the runtime and the compiler use. The tests also use doctest (tests/CMakeLists.txt).
set(PM_FMT fmt::fmt)
if(PM_STATIC_LLVM) # Debian has no static {fmt}
  set(PM_FMT fmt::fmt-header-only)
  set(ZLIB_USE_STATIC_LIBS ON)
endif()
find_package(fmt REQUIRED)
find_package(TBB REQUIRED)
find_package(ZLIB REQUIRED)
set(Boost_USE_STATIC_LIBS ON) # a few functions
find_package(Boost 1.81 REQUIRED COMPONENTS context)
find_package(CLI11 REQUIRED)
find_path(PM_RE2_INCLUDE re2/re2.h REQUIRED)
find_library(PM_RE2 NAMES libre2.a re2 REQUIRED) # static: a program that uses no pattern starts as fast as without RE2
find_package(nlohmann_json REQUIRED)
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
if(PM_STATIC_LLVM AND TARGET zstd::libzstd_static) # LLVM's targets name the shared library
  get_target_property(PM_ZSTD zstd::libzstd_static IMPORTED_LOCATION)
  set_target_properties(zstd::libzstd_shared PROPERTIES IMPORTED_LOCATION ${PM_ZSTD})
endif()
target_compile_definitions(pm_options INTERFACE PM_LLVM_VERSION="${LLVM_PACKAGE_VERSION}")

# Only codegen uses LLVM. The project's warnings do not apply to its headers.
add_library(pm_llvm INTERFACE)
target_include_directories(pm_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(pm_llvm INTERFACE ${LLVM_DEFINITIONS_LIST})
set(PM_LLVM_LIBS LLVM)
if(PM_STATIC_LLVM)
  llvm_map_components_to_libnames(PM_LLVM_LIBS orcjit jitlink passes x86codegen x86asmparser nvptxcodegen native)
endif()
target_link_libraries(pm_llvm INTERFACE ${PM_LLVM_LIBS})
