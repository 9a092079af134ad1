# Install.cmake: what `cmake --install` puts in place: bin/isolde, bin/isolde-mpi, one libisolde.a of the layers that
# check histories, libisolde.so with the C API alone (include/isolde/c.h), the public headers and the files by which
# find_package(isolde) finds them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(libisolde STATIC)
foreach(layer IN LISTS ISOLDE_LIBRARY_LAYERS)
  target_sources(libisolde PRIVATE $<TARGET_OBJECTS:isolde_${layer}>)
endforeach()
get_property(links GLOBAL PROPERTY ISOLDE_LINKS)
list(REMOVE_DUPLICATES links)
target_link_libraries(libisolde PRIVATE ${links} Threads::Threads)
target_include_directories(libisolde INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(libisolde INTERFACE cxx_std_20)
set_target_properties(libisolde PROPERTIES OUTPUT_NAME isolde EXPORT_NAME isolde LINKER_LANGUAGE CXX)

# For other languages. The version script leaves the C functions visible and nothing else, so that a program may use
# other versions of the libraries that are linked in. Not under sanitizers: a language's own program lacks their runtime.
if(NOT ISOLDE_SANITIZE)
  set(version_script ${PROJECT_SOURCE_DIR}/cmake/libisolde.map)
  add_library(libisolde_shared SHARED)
  foreach(layer IN LISTS ISOLDE_LIBRARY_LAYERS)
    target_sources(libisolde_shared PRIVATE $<TARGET_OBJECTS:isolde_${layer}>)
  endforeach()
  target_link_libraries(libisolde_shared PRIVATE ${links} Threads::Threads)
  target_link_options(libisolde_shared PRIVATE LINKER:--version-script=${version_script} LINKER:--gc-sections)
  set_target_properties(libisolde_shared PROPERTIES OUTPUT_NAME isolde LINKER_LANGUAGE CXX LINK_DEPENDS ${version_script}
    VERSION ${PROJECT_VERSION} SOVERSION 1)
  install(TARGETS libisolde_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

install(TARGETS isolde isolde-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS libisolde EXPORT isoldeTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/isolde DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT isoldeTargets NAMESPACE isolde:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/isolde)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/isoldeConfig.cmake.in ${PROJECT_BINARY_DIR}/isoldeConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/isolde)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/isoldeConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/isoldeConfig.cmake ${PROJECT_BINARY_DIR}/isoldeConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/Findcadical.cmake
  ${PROJECT_SOURCE_DIR}/cmake/Findminisat.cmake
  ${PROJECT_SOURCE_DIR}/cmake/Findpg_query.cmake
  ${PROJECT_SOURCE_DIR}/cmake/Findzstd.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/isolde)
