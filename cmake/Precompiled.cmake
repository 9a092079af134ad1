# Precompiled.cmake: headers of others that most files include, parsed once and not by each batch of files.
#
# isolde_precompiled(TARGET layer|test): the target's files find them parsed. Only headers that no change to Isolde
# touches are listed here, so that a change recompiles what it did before. Not for the release build, by default: g++ 12
# raises false alarms with them (-Warray-bounds in std::string), and `./dev alone`, which uses its flags, tells whether a
# file includes what it uses.
if(ISOLDE_SANITIZE)
  set(precompiled ON)
else()
  set(precompiled OFF)
endif()
option(ISOLDE_PRECOMPILED "Parse the headers that most files include only once" ${precompiled})

# Not <filesystem>: it brings std::quoted with it, and files have functions of that name.
set(ISOLDE_PRECOMPILED_HEADERS
  <algorithm> <array> <charconv> <chrono> <cstdint> <cstring> <fstream> <functional> <map> <memory> <numeric>
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
  target_compile_options(isolde_layer_headers PRIVATE ${ISOLDE_FOLLOWED})
  # What ccache needs to know a precompiled header again. Where one does not fit a file's flags, g++ parses it as ever.
  # clang no longer takes what is in them for others' code, and warns of libstdc++'s own use of what it deprecates.
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    target_compile_options(isolde_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp" -Wno-deprecated-declarations)
  else()
    target_compile_options(isolde_options INTERFACE -fpch-preprocess -Wno-error=invalid-pch -Wno-error=array-bounds)
  endif()
endif()

function(isolde_precompiled target kind)
  if(ISOLDE_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM isolde_${kind}_headers)
  endif()
endfunction()
