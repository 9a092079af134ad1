# Layers.cmake: the folders of src/ in the order that data flows, each a library that may link only to those above it.
#
# The rule is enforced twice: isolde_layer() refuses a dependency that is not above, and a layer's headers are found only
# through the layers it links to (each layer has an include root of its own that holds nothing but that layer).
set(ISOLDE_LAYERS base history format anomaly check proof checking report gen db probe record stream hunt audit proxy cluster batch api cli)
# What a program that links the library gets (include/isolde/): those that talk to databases are the command's alone.
set(ISOLDE_LIBRARY_LAYERS base history format anomaly check proof checking report api)

# isolde_layer(NAME [COLD] [COLD_IN_TESTS] [HOT_IN_TESTS] SOURCES … USES layers … LINKS libraries …). COLD: it waits for people, files or
# servers, so it is optimised less, and compiles faster. COLD_IN_TESTS: only under sanitizers.
# HOT_IN_TESTS: not under sanitizers, where its tests take longer than it takes to compile.
function(isolde_layer name)
  cmake_parse_arguments(ARG "COLD;COLD_IN_TESTS;HOT_IN_TESTS" "" "SOURCES;USES;LINKS" ${ARGN})
  list(FIND ISOLDE_LAYERS ${name} place)
  if(place LESS 0)
    message(FATAL_ERROR "src/${name} is no layer: add it to ISOLDE_LAYERS in cmake/Layers.cmake, at its place")
  endif()
  foreach(used IN LISTS ARG_USES)
    list(FIND ISOLDE_LAYERS ${used} used_place)
    if(used_place LESS 0 OR NOT used_place LESS place)
      message(FATAL_ERROR "src/${name} may not use src/${used}: a folder may use only folders above it (docs/architecture.md)")
    endif()
  endforeach()

  set(root ${CMAKE_BINARY_DIR}/layers/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${name} ${root}/${name} SYMBOLIC)

  list(TRANSFORM ARG_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/${name}/)
  add_library(isolde_${name} STATIC ${ARG_SOURCES})
  target_include_directories(isolde_${name} PUBLIC $<BUILD_INTERFACE:${root}>)
  list(TRANSFORM ARG_USES PREPEND isolde_)
  target_link_libraries(isolde_${name} PUBLIC ${ARG_USES} PRIVATE ${ARG_LINKS})
  target_link_libraries(isolde_${name} PRIVATE $<BUILD_INTERFACE:isolde_options>)
  isolde_unity(isolde_${name})
  isolde_hardened(isolde_${name})
  target_compile_options(isolde_${name} PRIVATE ${ISOLDE_FOLLOWED})
  if((ARG_COLD AND NOT (ARG_HOT_IN_TESTS AND ISOLDE_SANITIZE)) OR (ARG_COLD_IN_TESTS AND ISOLDE_SANITIZE))
    # Without precompiled headers: those are compiled with the flags of the other layers.
    target_compile_options(isolde_${name} PRIVATE ${ISOLDE_COLD_FLAGS})
  else()
    isolde_precompiled(isolde_${name} layer)
  endif()
  if(name IN_LIST ISOLDE_LIBRARY_LAYERS)  # what the installed library needs (cmake/Install.cmake)
    set_property(GLOBAL APPEND PROPERTY ISOLDE_LINKS ${ARG_LINKS})
  endif()
endfunction()
