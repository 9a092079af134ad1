# Findminisat.cmake: MiniSat (a SAT solver), which comes without a package file of its own.
# Defines minisat::minisat. Also installed, for those who build against the installed library.
find_path(MINISAT_INCLUDE_DIR minisat/core/Solver.h)
find_library(MINISAT_LIBRARY minisat)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(minisat REQUIRED_VARS MINISAT_LIBRARY MINISAT_INCLUDE_DIR)
if(minisat_FOUND AND NOT TARGET minisat::minisat)
  add_library(minisat::minisat UNKNOWN IMPORTED)
  set_target_properties(minisat::minisat PROPERTIES IMPORTED_LOCATION ${MINISAT_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${MINISAT_INCLUDE_DIR})
endif()
mark_as_advanced(MINISAT_INCLUDE_DIR MINISAT_LIBRARY)
