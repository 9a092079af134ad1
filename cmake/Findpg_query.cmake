# Findpg_query.cmake: libpg_query (PostgreSQL's own SQL parser), which comes without a package file of its own.
# Defines pg_query::pg_query. Also installed, for those who build against the installed library.
find_path(PG_QUERY_INCLUDE_DIR pg_query.h)
find_library(PG_QUERY_LIBRARY pg_query)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(pg_query REQUIRED_VARS PG_QUERY_LIBRARY PG_QUERY_INCLUDE_DIR)
if(pg_query_FOUND AND NOT TARGET pg_query::pg_query)
  add_library(pg_query::pg_query UNKNOWN IMPORTED)
  set_target_properties(pg_query::pg_query PROPERTIES IMPORTED_LOCATION ${PG_QUERY_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${PG_QUERY_INCLUDE_DIR})
endif()
mark_as_advanced(PG_QUERY_INCLUDE_DIR PG_QUERY_LIBRARY)
