# Page.cmake: web/dist/page.html as one C++ source, so that the program carries the report page with it.
# Sets ISOLDE_BUILT_IN_PAGE to that source.
set(page ${PROJECT_SOURCE_DIR}/web/dist/page.html)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
set(ISOLDE_BUILT_IN_PAGE ${CMAKE_BINARY_DIR}/page.cc)
# Semicolons and brackets of the page mean something to CMake's lists: the file is never taken apart, only copied.
file(READ ${page} text)
file(WRITE ${ISOLDE_BUILT_IN_PAGE}.new "#include \"report/page/page.h\"\n\nnamespace isolde {\nstd::string_view page_template() {\n  return R\"isolde_page(${text})isolde_page\";\n}\n}  // namespace isolde\n")
configure_file(${ISOLDE_BUILT_IN_PAGE}.new ${ISOLDE_BUILT_IN_PAGE} COPYONLY)
