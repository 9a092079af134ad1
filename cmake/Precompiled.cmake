# Precompiled.cmake: headers of others that most files include, parsed once and not by each of 850 files (that is half of
# what a build from nothing costs).
#
# isolde_precompiled(TARGET layer|test): the target's files find them parsed. Only headers that no change to Isolde
# touches stand here, so that a change recompiles what it did before. A file still includes what it uses: with
# ISOLDE_PRECOMPILED=OFF (as `./dev lint` builds) nothing is there that it did not ask for.
option(ISOLDE_PRECOMPILED "Parse the headers that most files include only once" ON)

set(ISOLDE_PRECOMPILED_HEADERS
  <algorithm> <array> <charconv> <chrono> <cstdint> <cstring> <filesystem> <fstream> <functional> <map> <memory> <numeric>
  <optional> <set> <span> <sstream> <string> <string_view> <tuple> <unordered_map> <unordered_set> <utility> <vector>
  <fmt/format.h>)

# isolde_headers(NAME HEADER…): an otherwise empty library that holds them.
function(isolde_headers name)
  file(WRITE ${CMAKE_BINARY_DIR}/${name}.cc.new "")
  configure_file(${CMAKE_BINARY_DIR}/${name}.cc.new ${CMAKE_BINARY_DIR}/${name}.cc COPYONLY)
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE isolde_options fmt::fmt)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

if(ISOLDE_PRECOMPILED)
  isolde_headers(isolde_layer_headers ${ISOLDE_PRECOMPILED_HEADERS})
  # What ccache needs to know a precompiled header again, and where one does not fit a file's flags it is parsed as ever.
  target_compile_options(isolde_options INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess -Wno-error=invalid-pch> "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

function(isolde_precompiled target kind)
  if(ISOLDE_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM isolde_${kind}_headers)
  endif()
endfunction()
