# How a module, a program and the package are declared: one place, so that every lib/<module>/CMakeLists.txt is a list of files.

include(GNUInstallDirs)

include(${CMAKE_CURRENT_LIST_DIR}/package/kubecoro-dependencies.cmake)

# Flags of our own build only: never exported to users.
function(kubecoro_private_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough)
  if(KUBECORO_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # gcc reports these falsely out of inlined Boost and coroutine frames.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds -Wno-restrict -Wno-dangling-pointer -Wno-mismatched-new-delete)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # The stable_sort of Debian 12's standard library calls a deprecated function of its own.
    target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
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

# Asio, Boost.JSON and the standard library take longer to read than our own code: read them once per target, or once for all targets that
# have the flags and the definitions of OWNER and precompile kubecoro_asio_headers. Only foreign headers, so that a file of ours that forgets
# an include of ours still fails.
function(kubecoro_precompile target)
  cmake_parse_arguments(P "" "OWNER" "" ${ARGN})
  if(NOT KUBECORO_PCH)
    return()
  endif()
  if(P_OWNER AND NOT target STREQUAL P_OWNER AND "${P_UNPARSED_ARGUMENTS}" STREQUAL "${kubecoro_asio_headers}")
    target_precompile_headers(${target} REUSE_FROM ${P_OWNER})
  else()
    target_precompile_headers(${target} PRIVATE ${P_UNPARSED_ARGUMENTS}
      <algorithm> <chrono> <functional> <map> <memory> <optional> <string> <string_view> <utility> <variant> <vector>)
  endif()
  # Needed by ccache to store objects that were made with a precompiled header.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
    $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endfunction()

set(kubecoro_asio_headers <boost/asio/any_io_executor.hpp> <boost/asio/as_tuple.hpp> <boost/asio/awaitable.hpp>
  <boost/asio/co_spawn.hpp> <boost/asio/post.hpp> <boost/asio/this_coro.hpp> <boost/asio/use_awaitable.hpp>
  <boost/system/result.hpp>)

# Names of another file are no shadows, and gcc takes a source that is included for a header.
set(kubecoro_unit_flags -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)

# Most of a compiler's work on a small file is to read and to instantiate what all files of a target use. First builds compile the files
# of a folder as one.
function(kubecoro_units target)
  if(NOT KUBECORO_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH room)
    string(MAKE_C_IDENTIFIER "room_${room}" room)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE ${kubecoro_unit_flags})
endfunction()

# Optimised builds compile a module for size: a program pays for pages of code that it never runs (docs/decisions/0060). Sources that
# begin with one of the texts of `fast`, through which objects, events and keys pass, are compiled for speed. They are a target of their
# own, whose objects the module holds: what is precompiled for size is of no use to them.
function(kubecoro_optimise target fast libraries precompiled)
  set(optimised $<CONFIG:Release,RelWithDebInfo>)
  if(KUBECORO_SANITIZE OR KUBECORO_COVERAGE)
    return()
  endif()
  target_compile_options(${target} PRIVATE $<${optimised}:-Os> -ffunction-sections -fdata-sections)
  get_target_property(sources ${target} SOURCES)
  set(chosen)
  foreach(start ${fast})
    set(beginning ${sources})
    list(FILTER beginning INCLUDE REGEX "^src/${start}")
    if(NOT beginning)
      message(FATAL_ERROR "${target}: FAST names ${start}, with which no source begins")
    endif()
    list(APPEND chosen ${beginning})
  endforeach()
  if(NOT chosen)
    return()
  endif()
  list(REMOVE_DUPLICATES chosen)
  list(REMOVE_ITEM sources ${chosen})
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  add_library(${target}_fast OBJECT ${chosen})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_fast>)
  set_target_properties(${target}_fast PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  target_compile_features(${target}_fast PRIVATE cxx_std_20)
  target_link_libraries(${target}_fast PRIVATE ${libraries})
  target_include_directories(${target}_fast PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${target}_fast PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  target_compile_options(${target}_fast PRIVATE $<TARGET_PROPERTY:${target},COMPILE_OPTIONS> $<${optimised}:-O3>)
  kubecoro_units(${target}_fast)
  if(precompiled)
    kubecoro_precompile(${target}_fast OWNER kubecoro_base_fast ${precompiled})
  endif()
endfunction()

# kubecoro_module(<name> ROOMS <folders> HEADERS <files> SOURCES <files> FAST <beginnings of sources> USES <modules> LINK_PUBLIC <libs>
#                 LINK_PRIVATE <libs> PRECOMPILE <foreign headers>)
# Headers are given relative to include/kubecoro/<name>/, sources to src/. FAST: see kubecoro_optimise.
# ROOMS: the folders of src in one line; a room includes only rooms before it. Read by test/lint/rooms.sh alone.
# USES names the modules to the left of this one: what is not named cannot be included, which is the layer law.
function(kubecoro_module name)
  cmake_parse_arguments(M "" "" "ROOMS;HEADERS;SOURCES;FAST;USES;LINK_PUBLIC;LINK_PRIVATE;PRECOMPILE" ${ARGN})
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
  kubecoro_link_form(public ${M_LINK_PUBLIC})
  kubecoro_link_form(private ${M_LINK_PRIVATE})
  target_link_libraries(${target} PUBLIC ${M_USES} ${public} PRIVATE ${private})
  kubecoro_private_flags(${target})
  if(M_PRECOMPILE)
    kubecoro_precompile(${target} OWNER kubecoro_base ${M_PRECOMPILE})
  endif()
  kubecoro_optimise(${target} "${M_FAST}" "${M_USES};${public};${private}" "${M_PRECOMPILE}")
  kubecoro_units(${target})
  if(KUBECORO_INSTALL)
    install(TARGETS ${target} EXPORT kubecoro-targets FILE_SET HEADERS
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  set_property(GLOBAL APPEND PROPERTY KUBECORO_MODULES ${name})
endfunction()

# kubecoro_program(<target> SOURCES <files> LINK <libs> [NAME <output>])
function(kubecoro_program target)
  cmake_parse_arguments(P "" "NAME" "SOURCES;LINK" ${ARGN})
  add_executable(${target} ${P_SOURCES})
  if(P_NAME)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${P_NAME})
  endif()
  kubecoro_link_form(libraries ${P_LINK})
  target_link_libraries(${target} PRIVATE ${libraries})
  kubecoro_private_flags(${target})
endfunction()
