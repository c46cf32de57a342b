# kubecoro_generate(TARGET <name> CRD|OPENAPI <files> [KINDS <kinds>] [FOLDER <folder>])
#
# Adds a library with the C++ types of custom resources: `#include <FOLDER/shop_v1/gadget.hpp>`. The files are
# CustomResourceDefinitions, or OpenAPI v3 documents as `kubectl get --raw /openapi/v3/apis/GROUP/VERSION` prints them. FOLDER is
# TARGET by default, KINDS all kinds; one of several groups is written Gadget.shop.example.com. The types are generated at build
# time, and again when a file changes.
#
# The program is that of the package, or of the build if KUBECORO_APPS is on. When cross-compiling, set KUBECORO_TOOL to a `kubecoro` that runs here.
function(kubecoro_generate)
  cmake_parse_arguments(G "" "TARGET;FOLDER" "CRD;OPENAPI;KINDS" ${ARGN})
  if(NOT G_TARGET OR (G_CRD AND G_OPENAPI) OR NOT (G_CRD OR G_OPENAPI) OR G_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kubecoro_generate: expected TARGET name, CRD files... or OPENAPI files... [KINDS kinds...] [FOLDER folder] ${G_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT G_FOLDER)
    set(G_FOLDER ${G_TARGET})
  endif()
  if(KUBECORO_TOOL)
    set(program ${KUBECORO_TOOL})
  elseif(TARGET kubecoro::tool AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
    set(program kubecoro::tool)
  else()
    message(FATAL_ERROR "kubecoro_generate: set KUBECORO_TOOL to a program kubecoro that runs on this machine, install the component tool of the package, or set KUBECORO_APPS to ON if its sources are a part of this build")
  endif()
  set(files)
  set(flags)
  set(source --crd)
  if(G_OPENAPI)
    set(source --openapi)
  endif()
  foreach(file IN LISTS G_CRD G_OPENAPI)
    get_filename_component(path ${file} ABSOLUTE)
    list(APPEND files ${path})
    list(APPEND flags ${source} ${path})
  endforeach()
  foreach(kind IN LISTS G_KINDS)
    list(APPEND flags --kind ${kind})
  endforeach()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${G_TARGET}_types)
  # Every header includes the marker, so that files which include one are compiled again in the same run of the build.
  add_custom_command(OUTPUT ${out}/src/${G_TARGET}.cpp ${out}/src/${G_TARGET}_definitions.cpp ${out}/include/${G_FOLDER}/${G_TARGET}_marker.hpp
    COMMAND ${program} generate ${flags} --out ${out} --folder ${G_FOLDER} --target ${G_TARGET} --prune
    DEPENDS ${files} ${program}
    COMMENT "Types of ${G_TARGET}" VERBATIM)
  add_library(${G_TARGET} STATIC ${out}/src/${G_TARGET}.cpp ${out}/src/${G_TARGET}_definitions.cpp ${out}/include/${G_FOLDER}/${G_TARGET}_marker.hpp)
  target_include_directories(${G_TARGET} PUBLIC ${out}/include)
  target_link_libraries(${G_TARGET} PUBLIC kubecoro::kinds)
  target_compile_features(${G_TARGET} PUBLIC cxx_std_20)
endfunction()
