# Hardening.cmake: what makes a fault in the program hard to use for anybody who feeds it input.
#
# isolde_hardened(TARGET): for the layers: checks of the stack and of the C library's calls, and marks for the processor
# that keep jumps and returns where the program put them. Not under sanitizers, which check more. Programs are linked so
# that the tables of addresses are read-only before main() begins (full RELRO); they are position independent where the
# compiler makes them so by itself, as Debian's does.
include(CheckCXXCompilerFlag)
set(ISOLDE_HARDENING)
if(NOT ISOLDE_SANITIZE)
  set(CMAKE_REQUIRED_FLAGS -O2)
  foreach(flag -fstack-protector-strong -fcf-protection=full -fstack-clash-protection)
    string(MAKE_C_IDENTIFIER "ISOLDE_HAS${flag}" known)
    check_cxx_compiler_flag(${flag} ${known})
    if(${known})
      list(APPEND ISOLDE_HARDENING ${flag})
    endif()
  endforeach()
  unset(CMAKE_REQUIRED_FLAGS)
  list(APPEND ISOLDE_HARDENING -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()

function(isolde_hardened target)
  target_compile_options(${target} PRIVATE ${ISOLDE_HARDENING})
endfunction()
