# Writes a C++ file that holds the bytes of all files of a folder, for EmbeddedPageFiles() to return.
#   cmake -D FOLDER=src/server/page -D OUTPUT=page_files.cc -P EmbedFiles.cmake
file(GLOB files RELATIVE "${FOLDER}" "${FOLDER}/*")
set(arrays "")
set(entries "")
set(number 0)
foreach(name IN LISTS files)
  file(READ "${FOLDER}/${name}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "const unsigned char file_${number}[] = {${bytes}0};\n")
  string(APPEND entries
    "    {\"${name}\", {reinterpret_cast<const char*>(file_${number}), sizeof file_${number} - 1}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made by cmake/EmbedFiles.cmake.
#include \"server/static_files.h\"

namespace talea {
namespace {

${arrays}
const EmbeddedFile files[] = {
${entries}};

}  // namespace

std::span<const EmbeddedFile> EmbeddedPageFiles() { return files; }

}  // namespace talea
")
