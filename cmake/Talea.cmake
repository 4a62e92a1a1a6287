# How every library of Talea is built.

include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ${PROJECT_IS_TOP_LEVEL})

# Without this sloppiness ccache leaves alone everything that uses a precompiled header.
find_program(TALEA_CCACHE ccache)
if(TALEA_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${TALEA_CCACHE}")
endif()

# Warnings are ours alone: a project that includes Talea keeps its own.
add_library(talea_warnings INTERFACE)
target_compile_options(talea_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual -Wundef
  -Wno-missing-field-initializers  # designated initializers leave fields out on purpose
  $<$<BOOL:${TALEA_WARNINGS_AS_ERRORS}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 finds overlaps in std::string::insert and operator+ that are not there (GCC bug 105651).
  target_compile_options(talea_warnings INTERFACE -Wno-restrict)
  if(TALEA_SANITIZE)
    # Instrumented code is too involved for these, which then guess.
    target_compile_options(talea_warnings INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds)
  endif()
endif()

if(TALEA_SANITIZE)
  add_compile_options(-fsanitize=${TALEA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TALEA_SANITIZE})
  if(TALEA_SANITIZE MATCHES "undefined")
    # A null pointer does not go unnoticed anyway, and its checks alone are a sixth of the time to compile.
    add_compile_options(-fno-sanitize=null)
  endif()
  if(TALEA_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What tells where undefined behaviour was are pointers, half a million in a program: to relocate them was a
    # quarter of the time that a small process takes.
    add_link_options(-no-pie)
  endif()
endif()

# talea_precompile(TARGET): the headers that most files include, compiled once for all of Talea's libraries, which
# takes a third to a half off the time to compile them. Not in every build: in `dev` and `fuzz`, and in other people's,
# each file is seen to include what it needs.
option(TALEA_PRECOMPILE "Compile the commonest headers once for all libraries" OFF)

# Files in which g++ 12 finds overflows of std::string that are not there (-Warray-bounds at char_traits.h), and only if
# the headers are precompiled. They go without.
set(TALEA_NOT_PRECOMPILED keyspace/tuple.cc histograms/where.cc chain/verify_output_rows.cc)
list(TRANSFORM TALEA_NOT_PRECOMPILED PREPEND "${PROJECT_SOURCE_DIR}/src/")

function(talea_precompile target)
  if(NOT TALEA_PRECOMPILE)
    return()
  elseif(target STREQUAL "talea_base")  # it is the first, and has the flags that all have
    target_precompile_headers(${target} PRIVATE
      <algorithm> <functional> <map> <memory> <optional> <span> <string> <vector>
      <fmt/format.h> <talea/transaction.h>)
  else()
    target_precompile_headers(${target} REUSE_FROM talea_base)
  endif()
endfunction()

# talea_library(NAME [PUBLIC target...] [PRIVATE target...] [PRECOMPILED_FROM target])
#
# The library of the current folder, made of all its files that are not tests, benchmarks, fuzzers or a main.cc.
# Internal headers are included by their path under src: "engine/commit_queue.h".
function(talea_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PRECOMPILED_FROM" "PUBLIC;PRIVATE")
  set_property(GLOBAL APPEND PROPERTY TALEA_LIBRARIES ${name})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
  list(FILTER sources EXCLUDE REGEX "(_(test|benchmark|fuzzer)|/main)\\.cc$")
  # Headers alone: nothing that whoever links the library would need.
  list(TRANSFORM arg_PRIVATE REPLACE "^Boost::headers$" "$<BUILD_INTERFACE:Boost::headers>")
  string(REPLACE "talea_" "" export_name ${name})
  set(headers "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  if(NOT sources)  # headers only, or nothing yet
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${headers})
    target_link_libraries(${name} INTERFACE ${arg_PUBLIC} ${arg_PRIVATE})
    set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name})
  target_compile_features(${name} PUBLIC cxx_std_23)
  target_include_directories(${name}
    PUBLIC ${headers}
    PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${name}
    PUBLIC ${arg_PUBLIC}
    PRIVATE ${arg_PRIVATE} $<BUILD_INTERFACE:talea_warnings>)
  if(arg_PRECOMPILED_FROM)
    target_precompile_headers(${name} REUSE_FROM ${arg_PRECOMPILED_FROM})
  else()
    talea_precompile(${name})
  endif()
  set_source_files_properties(${TALEA_NOT_PRECOMPILED} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
