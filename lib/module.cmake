# How a module, a program and the package are declared: one place, so that every lib/<module>/CMakeLists.txt is a list of files.

include(GNUInstallDirs)

# The libraries the modules stand on. Kept in step with kubecoro-config.cmake.in.
macro(kubecoro_dependencies)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)
  find_package(Boost 1.81 REQUIRED COMPONENTS json url)
  find_package(OpenSSL 3 REQUIRED)
  find_package(ZLIB REQUIRED)
  find_package(prometheus-cpp REQUIRED COMPONENTS core)
  find_package(yaml-cpp REQUIRED)
  # yaml-cpp 0.7 (Debian 12) exports `yaml-cpp`, 0.8 `yaml-cpp::yaml-cpp`.
  if(NOT TARGET yaml-cpp::yaml-cpp)
    add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED)
    set_target_properties(yaml-cpp::yaml-cpp PROPERTIES INTERFACE_LINK_LIBRARIES yaml-cpp)
  endif()
  # For module program only, which is left out without them.
  find_package(CLI11 QUIET)
  find_package(spdlog QUIET)
  find_package(zstd REQUIRED)
  # Before 1.5.6 there is no target for whichever of the two there is.
  if(NOT TARGET zstd::libzstd)
    add_library(zstd::libzstd INTERFACE IMPORTED)
    set_target_properties(zstd::libzstd PROPERTIES INTERFACE_LINK_LIBRARIES zstd::libzstd_shared)
  endif()
  # RE2 of Debian 12 has no package for CMake.
  find_package(re2 CONFIG QUIET)
  if(NOT TARGET re2::re2)
    find_path(RE2_INCLUDE_DIR re2/re2.h REQUIRED)
    find_library(RE2_LIBRARY re2 REQUIRED)
    add_library(re2::re2 UNKNOWN IMPORTED)
    set_target_properties(re2::re2 PROPERTIES IMPORTED_LOCATION ${RE2_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${RE2_INCLUDE_DIR})
  endif()
endmacro()

# Flags of our own build only: never exported to users.
function(kubecoro_private_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough)
  if(KUBECORO_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # gcc 12 reports these falsely out of inlined Boost and coroutine frames.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds -Wno-restrict -Wno-dangling-pointer -Wno-mismatched-new-delete)
  endif()
  if(KUBECORO_COVERAGE)
    target_compile_options(${target} PRIVATE -fprofile-instr-generate -fcoverage-mapping)
    target_link_options(${target} PUBLIC -fprofile-instr-generate)
  endif()
  if(KUBECORO_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${KUBECORO_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${KUBECORO_SANITIZE})
    if(KUBECORO_SANITIZE MATCHES "undefined")
      target_compile_options(${target} PRIVATE -fno-sanitize-recover=undefined)
      if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        target_compile_options(${target} PRIVATE -fno-sanitize=function)
      endif()
      # A third of the compiler's time, for what the address sanitizer mostly sees as well. Modules with decoders keep them: test/fuzz.
      target_compile_options(${target} PRIVATE -fno-sanitize=null,alignment,object-size)
    endif()
    if(KUBECORO_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-tsan)
    endif()
  endif()
endfunction()

# Asio, Boost.JSON and the standard library take longer to read than our own code: read them once per target.
# Only foreign headers, so that a file of ours that forgets an include of ours still fails.
function(kubecoro_precompile target)
  if(KUBECORO_PCH)
    target_precompile_headers(${target} PRIVATE ${ARGN}
      <algorithm> <chrono> <functional> <map> <memory> <optional> <string> <string_view> <utility> <variant> <vector>)
    # Needed by ccache to store objects that were made with a precompiled header.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
      $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
  endif()
endfunction()

set(kubecoro_asio_headers <boost/asio/any_io_executor.hpp> <boost/asio/as_tuple.hpp> <boost/asio/awaitable.hpp>
  <boost/asio/co_spawn.hpp> <boost/asio/post.hpp> <boost/asio/this_coro.hpp> <boost/asio/use_awaitable.hpp>
  <boost/system/result.hpp>)

# kubecoro_module(<name> HEADERS <files> SOURCES <files> USES <modules> LINK_PUBLIC <libs> LINK_PRIVATE <libs>
#                 PRECOMPILE <foreign headers>)
# Headers are given relative to include/kubecoro/<name>/, sources to src/.
# USES names the modules to the left of this one: what is not named cannot be included, which is the layer law.
function(kubecoro_module name)
  cmake_parse_arguments(M "" "" "HEADERS;SOURCES;USES;LINK_PUBLIC;LINK_PRIVATE;PRECOMPILE" ${ARGN})
  set(target kubecoro_${name})
  list(TRANSFORM M_HEADERS PREPEND include/kubecoro/${name}/)
  list(TRANSFORM M_SOURCES PREPEND src/)
  list(TRANSFORM M_USES PREPEND kubecoro_)
  add_library(${target} ${M_SOURCES})
  add_library(kubecoro::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON POSITION_INDEPENDENT_CODE ON
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} VERSION ${PROJECT_VERSION})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${M_HEADERS})
  target_include_directories(${target} PRIVATE src)
  target_link_libraries(${target} PUBLIC ${M_USES} ${M_LINK_PUBLIC} PRIVATE ${M_LINK_PRIVATE})
  kubecoro_private_flags(${target})
  if(M_PRECOMPILE)
    kubecoro_precompile(${target} ${M_PRECOMPILE})
  endif()
  install(TARGETS ${target} EXPORT kubecoro-targets FILE_SET HEADERS
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_property(GLOBAL APPEND PROPERTY KUBECORO_MODULES ${name})
endfunction()

# kubecoro_program(<target> SOURCES <files> LINK <libs> [NAME <output>])
function(kubecoro_program target)
  cmake_parse_arguments(P "" "NAME" "SOURCES;LINK" ${ARGN})
  add_executable(${target} ${P_SOURCES})
  if(P_NAME)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${P_NAME})
  endif()
  target_link_libraries(${target} PRIVATE ${P_LINK})
  kubecoro_private_flags(${target})
endfunction()
