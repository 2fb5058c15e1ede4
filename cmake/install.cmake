# What `cmake --install` puts where: program, libraries, headers, pkg-config file, CMake package, man page,
# completion of bash.
include(CMakePackageConfigHelpers)

install(TARGETS hexec)
if(HEXEC_LLVM_FOUND)
  install(TARGETS hexec_llvm LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS hexec_static hexec_shared hexec_dependencies hexec_options_link EXPORT hexecTargets)
install(EXPORT hexecTargets NAMESPACE hexec:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hexec)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/hexec DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

file(RELATIVE_PATH HEXEC_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(HEXEC_PC_DEFINITIONS "")
if(NOT HEXEC_TRACING)
  set(HEXEC_PC_DEFINITIONS " -DHX_TRACING=0")
endif()
set(HEXEC_PC_OPTIONAL "")
if(SLEEF_FOUND)
  set(HEXEC_PC_OPTIONAL " sleef")
endif()
if(HEXEC_PROTOBUF)
  string(APPEND HEXEC_PC_OPTIONAL " libprotobuf-c")
endif()
configure_file(cmake/hexec.pc.in hexec.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hexec.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_package_config_file(cmake/hexecConfig.cmake.in hexecConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hexec)
write_basic_package_version_file(hexecConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hexecConfig.cmake ${PROJECT_BINARY_DIR}/hexecConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hexec)

install(FILES docs/hexec.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES tools/hexec/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME hexec)
install(DIRECTORY programs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/hexec/programs FILES_MATCHING PATTERN "*.yaml" PATTERN "*.npy"
  PATTERN "*.cl" PATTERN "*.cu" PATTERN "*.ptx")
install(DIRECTORY isa/ DESTINATION ${CMAKE_INSTALL_DATADIR}/hexec/isa FILES_MATCHING PATTERN "*.yaml")
