# What `cmake --install` puts where: headers, static libraries, the command with its completions, and what CMake's
# find_package and pkg-config need to find them. tests/consumer uses all of it.
include(CMakePackageConfigHelpers)

# In the order of the layers, as they were made; the command's parts and the suite for engines are not among them.
get_property(libraries GLOBAL PROPERTY TALEA_LIBRARIES)
list(REMOVE_ITEM libraries talea_terminal talea_cli talea_testing)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/talea" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h")
install(TARGETS talea ${libraries} EXPORT talea)
install(TARGETS talea_command)

# For CMake. The suite for engines of one's own is a component, as it takes GoogleTest and RapidCheck.
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/talea")
install(EXPORT talea NAMESPACE talea:: FILE taleaTargets.cmake DESTINATION "${package}")
if(TARGET talea_testing)
  install(TARGETS talea_testing EXPORT talea-testing)
  install(EXPORT talea-testing NAMESPACE talea:: FILE taleaTestingTargets.cmake DESTINATION "${package}")
endif()
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/taleaConfig.cmake.in" taleaConfig.cmake
  INSTALL_DESTINATION "${package}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(taleaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/taleaConfig.cmake" "${PROJECT_BINARY_DIR}/taleaConfigVersion.cmake"
  DESTINATION "${package}")

# For pkg-config: a library before those it stands on. The libraries are static, so a program asks with --static.
set(pkgconfig_libraries "")
foreach(library IN LISTS libraries)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    string(PREPEND pkgconfig_libraries " -l${library}")
  endif()
endforeach()
get_target_property(rocksdb_links talea_rocksdb LINK_LIBRARIES)
if("RocksDB::rocksdb" IN_LIST rocksdb_links)
  # The static one, whose own dependencies Debian's rocksdb.pc does not tell.
  set(pkgconfig_requires "fmt libxxhash libcbor libsodium gflags snappy zlib liblz4 libzstd")
  set(pkgconfig_private "-l:librocksdb.a -lbz2 -pthread")
else()
  set(pkgconfig_requires "fmt libxxhash libcbor libsodium rocksdb")
  set(pkgconfig_private "-pthread")
endif()
# Relative to the file, so that --prefix may be said at the time of the installation.
file(RELATIVE_PATH pkgconfig_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${CMAKE_CURRENT_LIST_DIR}/talea.pc.in" talea.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/talea.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# For shells.
foreach(script IN ITEMS bash-completion/completions/talea zsh/site-functions/_talea fish/vendor_completions.d/talea.fish)
  string(REGEX MATCH "^[a-z]+" shell "${script}")
  set(made "${PROJECT_BINARY_DIR}/completions/${shell}")
  add_custom_command(OUTPUT "${made}" COMMAND talea_command shell-completion ${shell} > "${made}" VERBATIM)
  cmake_path(GET script PARENT_PATH folder)
  cmake_path(GET script FILENAME name)
  install(FILES "${made}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}" RENAME "${name}")
  list(APPEND completions "${made}")
endforeach()
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/completions")
add_custom_target(completions ALL DEPENDS ${completions})
