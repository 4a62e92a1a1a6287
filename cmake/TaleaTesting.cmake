# How tests are built: one executable for a folder, one label for each test. Every TEST is a test of ctest, unless
# TALEA_SHARDS is set when ctest is run: then each executable is that many tests of ctest, as a third of the time of a
# TEST under the thread sanitizer, and more under the other, is the start of its process.

find_package(GTest 1.12 REQUIRED CONFIG)
find_package(rapidcheck REQUIRED CONFIG)
include(GoogleTest)

# Tests take longer to optimize than to run.
set(TALEA_TEST_FLAGS "" CACHE STRING "Compiler flags for the code of tests alone, such as -Og")
if(TALEA_SANITIZE MATCHES "undefined")
  # What tests do with pointers is left to the address sanitizer: to check it twice was a quarter of the time to compile
  # them. Their arithmetic, and everything in the libraries, is checked as elsewhere.
  list(APPEND TALEA_TEST_FLAGS
    -fno-sanitize=alignment,object-size,pointer-overflow,vptr,nonnull-attribute,returns-nonnull-attribute)
endif()

# talea_executable(NAME source... [LINKS target...]): a program that may see our internal headers.
function(talea_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINKS")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_LINKS} talea_warnings)
endfunction()

# talea_test(NAME LABEL source... [LINKS target...]): one test executable, if it has any source.
function(talea_test name label)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LINKS")
  if(NOT arg_UNPARSED_ARGUMENTS)
    return()
  endif()
  talea_executable(${name} ${arg_UNPARSED_ARGUMENTS}
    LINKS ${arg_LINKS} talea_test_main)
  target_precompile_headers(${name} REUSE_FROM talea_test_main)
  if(label STREQUAL "concurrent")
    add_dependencies(concurrent_tests ${name})
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    PROPERTIES LABELS ${label})
  talea_shards(${name} ${label})
endfunction()

# talea_shards(NAME LABEL): ctest is to choose between TESTs and shards, in the place of the file that
# gtest_discover_tests has just told it to include.
function(talea_shards name label)
  get_property(included DIRECTORY PROPERTY TEST_INCLUDE_FILES)
  list(POP_BACK included each_test)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/shards.cmake.in" ${name}_shards.cmake @ONLY)
  set_property(DIRECTORY PROPERTY TEST_INCLUDE_FILES ${included} "${CMAKE_CURRENT_BINARY_DIR}/${name}_shards.cmake")
endfunction()

# The main of all test executables, and headers that are compiled once for all of them: that takes about a second
# off every test file. All link fmt, as those that use precompiled headers must define the same macros.
add_library(talea_test_main STATIC "${PROJECT_SOURCE_DIR}/tests/test_main.cc")
target_link_libraries(talea_test_main PUBLIC GTest::gmock rapidcheck fmt::fmt Threads::Threads PRIVATE talea_warnings)
target_compile_options(talea_test_main PUBLIC ${TALEA_TEST_FLAGS})
target_include_directories(talea_test_main PRIVATE "${PROJECT_SOURCE_DIR}/include")
target_precompile_headers(talea_test_main PRIVATE
  <algorithm> <chrono> <functional> <map> <memory> <optional> <random> <string> <thread> <vector>
  <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h> <rapidcheck.h> <rapidcheck/gtest.h>
  <talea/transaction.h> <talea/testing/model_test.h> <talea/testing/result_matchers.h>)

# All that the thread sanitizer's build needs.
add_custom_target(concurrent_tests)

# talea_tests(NAME [LINKS target...]): the tests that stand beside the sources of the current folder.
# Those in *_concurrent_test.cc and *_contract_test.cc start threads, and run under the thread sanitizer too.
function(talea_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINKS")
  file(GLOB plain CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc")
  set(concurrent ${plain})
  list(FILTER plain EXCLUDE REGEX "_(concurrent|contract)_test\\.cc$")
  list(FILTER concurrent INCLUDE REGEX "_(concurrent|contract)_test\\.cc$")
  talea_test(${name}_test unit ${plain} LINKS ${arg_LINKS})
  talea_test(${name}_concurrent_test concurrent ${concurrent} LINKS ${arg_LINKS})
endfunction()
