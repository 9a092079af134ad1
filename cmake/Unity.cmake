# Unity.cmake: files of one target are compiled together, several at a time: what most of them include is parsed once per
# batch, and a build costs less than half.
#
# isolde_unity(TARGET): the target's files are compiled in batches of neighbours, in the order of their list. A batch is
# what a one-line change compiles again. It asks two things of a file: names in anonymous namespaces are unique within a
# layer (or a test program), and nothing leaks (no `using namespace` outside a namespace of the layer's own, no macro
# left defined). `-DISOLDE_UNITY=OFF` compiles each file by itself; `./dev alone` proves that each can be.
option(ISOLDE_UNITY "Compile several files at a time" ON)
set(ISOLDE_UNITY_FILES 22 CACHE STRING "How many")

function(isolde_unity target)
  if(ISOLDE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${ISOLDE_UNITY_FILES})
  endif()
endfunction()

# Of a type with a member from an anonymous namespace g++ warns outside the main file only: of a batch, that is all files.
if(ISOLDE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(isolde_options INTERFACE -Wno-subobject-linkage)
endif()
