# Package.cmake: what a package has beside programs and the library (man pages, completions, examples, documents), and how
# CPack makes a .deb of it. `./dev package` runs it.
#
# Man pages, completions and profiles are printed by the program that is installed, from the tables it parses with.
set(ISOLDE_DATA_DIR ${CMAKE_INSTALL_DATADIR}/isolde)
install(CODE "
  set(isolde \"${CMAKE_BINARY_DIR}/isolde\")
  set(out \"${CMAKE_BINARY_DIR}/share\")
  set(datadir \"${CMAKE_INSTALL_DATADIR}\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/InstallGenerated.cmake\")")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples ${PROJECT_SOURCE_DIR}/scenarios DESTINATION ${ISOLDE_DATA_DIR}
  PATTERN "__pycache__" EXCLUDE)
install(FILES README.md CHANGELOG.md CITATION.cff SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_PACKAGE_NAME isolde)
set(CPACK_PACKAGE_VENDOR "The Isolde authors")
set(CPACK_PACKAGE_CONTACT "The Isolde authors <isolde@localhost>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "checks whether a database kept the isolation it promised")
set(CPACK_PACKAGE_DESCRIPTION
"Isolde checks recorded histories of transactions at an isolation level and\n\
explains what is wrong. It records workloads on real databases, watches streams,\n\
probes what a database allows, hunts for transactional bugs and audits the SQL of\n\
applications. A library for C++ and C comes with it.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "postgresql, mariadb-server, nats-server")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
