# PageIsCurrent.cmake: fails if web/dist/page.html was not built from web/src as it is (web/build.mjs writes the mark).
#
#   cmake -DWEB=path/to/web -P PageIsCurrent.cmake
file(GLOB sources LIST_DIRECTORIES false RELATIVE ${WEB}/src ${WEB}/src/*)
list(SORT sources)
set(list "")
foreach(source IN LISTS sources)
  file(SHA256 ${WEB}/src/${source} hash)
  string(APPEND list "${source} ${hash}\n")
endforeach()
string(SHA256 wanted "${list}")
file(STRINGS ${WEB}/dist/page.html marks REGEX "^<!-- sources [0-9a-f]+ -->$")
if(NOT marks STREQUAL "<!-- sources ${wanted} -->")
  message(FATAL_ERROR "web/dist/page.html is not built from web/src as it is: run ./dev web")
endif()
