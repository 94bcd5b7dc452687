# Functions that declare tests: a test binary (pm_test_binary) and its entries (pm_test), a run of .pm programs (pm_test_programs),
# a script (pm_test_script).

# pm_test(NAME COMMAND WORD... [QUICK] [LABELS LABEL...] [TIMEOUT SECONDS] [ENVIRONMENT NAME=VALUE...] [WORKING_DIRECTORY FOLDER]
#         [SKIP_RETURN_CODE CODE] [PASS_REGULAR_EXPRESSION TEXT])
# An entry of ctest. It runs in the root of the build folder unless WORKING_DIRECTORY names another folder. QUICK entries are those of
# `./dev test` (tests/README.md).
function(pm_test name)
  set(properties LABELS ENVIRONMENT TIMEOUT SKIP_RETURN_CODE PASS_REGULAR_EXPRESSION)
  cmake_parse_arguments(arg "QUICK" "TIMEOUT;SKIP_RETURN_CODE;PASS_REGULAR_EXPRESSION;WORKING_DIRECTORY" "COMMAND;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT arg_WORKING_DIRECTORY)
    set(arg_WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${arg_WORKING_DIRECTORY})
  if(arg_QUICK)
    list(APPEND arg_LABELS quick)
  endif()
  foreach(property ${properties})
    if(DEFINED arg_${property})
      set_tests_properties(${name} PROPERTIES ${property} "${arg_${property}}")
    endif()
  endforeach()
endfunction()

# pm_test_binary(TARGET [FOLDER FOLDER] [SOURCES FILE...] LIBRARIES LIBRARY... [DEFINITIONS NAME=VALUE...])
# A program with doctest, from the sources of a folder and single files. pm_test declares its entries.
function(pm_test_binary target)
  cmake_parse_arguments(arg "" "FOLDER" "SOURCES;LIBRARIES;DEFINITIONS" ${ARGN})
  set(sources)
  if(arg_FOLDER)
    file(GLOB sources CONFIGURE_DEPENDS ${arg_FOLDER}/*.cpp)
  endif()
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/unit/main.cpp) # it contains doctest
  pm_sources(${target} ${sources} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} doctest::doctest)
  target_compile_definitions(${target} PRIVATE ${arg_DEFINITIONS})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>) # compiled once, run once
endfunction()

# pm_test_programs(NAME [OPTION...] PLACE... [arguments of pm_test] [SHARDS N])
# Runs .pm programs and compares their output. An OPTION is one of run_programs, for example --config=evaluate. A PLACE is a file or a
# folder, from the root of the project. With SHARDS the entries NAME/1 to NAME/N run equal parts of the files.
function(pm_test_programs name)
  cmake_parse_arguments(programs "" "SHARDS" "" ${ARGN})
  set(run COMMAND run_programs --pm=$<TARGET_FILE:pm>)
  set(rest ${programs_UNPARSED_ARGUMENTS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(NOT programs_SHARDS)
    pm_test(${name} ${run} ${rest})
    return()
  endif()
  foreach(shard RANGE 1 ${programs_SHARDS})
    pm_test(${name}/${shard} ${run} --shard=${shard}/${programs_SHARDS} ${rest})
  endforeach()
endfunction()

# pm_test_script(NAME SCRIPT [ARGUMENT...] [arguments of pm_test])
# Runs a script; its path is from the root of the project.
function(pm_test_script name script)
  pm_test(${name} COMMAND ${PROJECT_SOURCE_DIR}/${script} ${ARGN})
endfunction()
