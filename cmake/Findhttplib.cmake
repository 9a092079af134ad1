# Findhttplib.cmake: cpp-httplib as Debian compiles it, as httplib::httplib. Optional: without it nothing is served
# (--serve). The layout of its types depends on what it was compiled with: TLS and zlib.
find_path(httplib_INCLUDE_DIR httplib.h)
find_library(httplib_LIBRARY cpp-httplib)
find_package(OpenSSL QUIET)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(httplib REQUIRED_VARS httplib_LIBRARY httplib_INCLUDE_DIR OPENSSL_FOUND)
if(httplib_FOUND AND NOT TARGET httplib::httplib)
  add_library(httplib::httplib UNKNOWN IMPORTED)
  set_target_properties(httplib::httplib PROPERTIES IMPORTED_LOCATION "${httplib_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${httplib_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS "CPPHTTPLIB_OPENSSL_SUPPORT;CPPHTTPLIB_ZLIB_SUPPORT"
    INTERFACE_LINK_LIBRARIES "OpenSSL::SSL;OpenSSL::Crypto;ZLIB::ZLIB")
endif()
mark_as_advanced(httplib_INCLUDE_DIR httplib_LIBRARY)
