# `cmake --install`: the program, and for find_package(polymap) the library, its header and its targets.
include(CMakePackageConfigHelpers)
set(PM_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/polymap)
configure_package_config_file(cmake/polymapConfig.cmake.in ${PROJECT_BINARY_DIR}/polymapConfig.cmake INSTALL_DESTINATION ${PM_PACKAGE})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/polymapConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS pm RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(PM_STATIC_LLVM)
  install(FILES $<TARGET_FILE:TBB::tbb> DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME $<TARGET_SONAME_FILE_NAME:TBB::tbb>)
endif()
install(TARGETS polymap EXPORT polymap ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES compiler/api/pm.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/polymap)
install(EXPORT polymap NAMESPACE polymap:: DESTINATION ${PM_PACKAGE} FILE polymapTargets.cmake)
install(FILES ${PROJECT_BINARY_DIR}/polymapConfig.cmake ${PROJECT_BINARY_DIR}/polymapConfigVersion.cmake DESTINATION ${PM_PACKAGE})
