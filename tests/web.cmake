# web.cmake: tests of the report page: its sources, its pictures' layout, and real pages in a real browser. They need Node,
# web/node_modules and Chromium, which `./dev test` and `./dev web` install; a build without them skips them, with a line.

set(ISOLDE_WEB ${PROJECT_SOURCE_DIR}/web)
find_program(ISOLDE_NODE node)
find_program(ISOLDE_CHROMIUM NAMES chromium chromium-browser google-chrome)

add_test(NAME web.ThePageIsBuiltFromItsSources
  COMMAND ${CMAKE_COMMAND} -DWEB=${ISOLDE_WEB} -P ${PROJECT_SOURCE_DIR}/cmake/PageIsCurrent.cmake)
set_tests_properties(web.ThePageIsBuiltFromItsSources PROPERTIES LABELS unit)

if(ISOLDE_SANITIZE)  # what they look at is not C++
  return()
endif()

# isolde_web_test(NAME LABELS… NEEDS PACKAGE… COMMAND SCRIPT ARGUMENT…)
function(isolde_web_test name)
  cmake_parse_arguments(ARG "" "" "LABELS;COMMAND;NEEDS" ${ARGN})
  list(TRANSFORM ARG_NEEDS PREPEND "${ISOLDE_WEB}/node_modules/" OUTPUT_VARIABLE wanted)
  set(is_there ${ISOLDE_NODE})
  foreach(folder IN LISTS wanted)
    if(NOT EXISTS ${folder})
      set(is_there FALSE)
    endif()
  endforeach()
  if("browser" IN_LIST ARG_LABELS AND NOT ISOLDE_CHROMIUM)
    set(is_there FALSE)
  endif()
  if(is_there)
    add_test(NAME web.${name} COMMAND ${ISOLDE_NODE} ${ARG_COMMAND} WORKING_DIRECTORY ${ISOLDE_WEB})
    set_tests_properties(web.${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 900)
  else()
    add_test(NAME web.${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: needs node, chromium and web/node_modules (./dev web)")
    set_tests_properties(web.${name} PROPERTIES LABELS "${ARG_LABELS}" SKIP_REGULAR_EXPRESSION "skipped:")
  endif()
endfunction()

isolde_web_test(ThePageIsWhatItsSourcesGive LABELS web NEEDS esbuild COMMAND build.mjs --check)
isolde_web_test(TypesAreRight LABELS web NEEDS typescript COMMAND node_modules/typescript/bin/tsc --noEmit -p .)
isolde_web_test(TheBookHasEveryPageAndNoDeadLink LABELS web
  COMMAND book/build.mjs ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/docs --check)
isolde_web_test(TheBookInABrowser LABELS browser NEEDS playwright-core
  COMMAND test/book.mjs $<TARGET_FILE:isolde> ${CMAKE_BINARY_DIR}/web ${ISOLDE_CHROMIUM})
isolde_web_test(NoArrowCrossesABox LABELS web NEEDS esbuild COMMAND test/layout.mjs 3000)
isolde_web_test(PagesInABrowser LABELS browser NEEDS playwright-core
  COMMAND test/pages.mjs $<TARGET_FILE:isolde> ${CMAKE_BINARY_DIR}/web ${ISOLDE_CHROMIUM})
isolde_web_test(PagesAtTwoWidths LABELS browser NEEDS playwright-core
  COMMAND test/screens.mjs $<TARGET_FILE:isolde> ${CMAKE_BINARY_DIR}/web ${ISOLDE_CHROMIUM})
# A run that is followed while it goes on.
if(httplib_FOUND)
  isolde_web_test(LivePagesInABrowser LABELS browser NEEDS playwright-core
    COMMAND test/live.mjs $<TARGET_FILE:isolde> ${CMAKE_BINARY_DIR}/web ${ISOLDE_CHROMIUM})
endif()
# Databases that are started for it, what others recorded, a trace; and a million transactions.
isolde_web_test(PagesOfRealThings LABELS browser live NEEDS playwright-core
  COMMAND test/gallery.mjs $<TARGET_FILE:isolde> ${CMAKE_BINARY_DIR}/web ${ISOLDE_CHROMIUM})
