# Findmariadb.cmake: MariaDB Connector/C (libmariadb), which comes without a package file of its own.
# Defines mariadb::mariadb.
find_path(MARIADB_INCLUDE_DIR mysql.h PATH_SUFFIXES mariadb)
find_library(MARIADB_LIBRARY mariadb)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(mariadb REQUIRED_VARS MARIADB_LIBRARY MARIADB_INCLUDE_DIR)
if(mariadb_FOUND AND NOT TARGET mariadb::mariadb)
  add_library(mariadb::mariadb UNKNOWN IMPORTED)
  set_target_properties(mariadb::mariadb PROPERTIES IMPORTED_LOCATION ${MARIADB_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${MARIADB_INCLUDE_DIR})
endif()
mark_as_advanced(MARIADB_INCLUDE_DIR MARIADB_LIBRARY)
