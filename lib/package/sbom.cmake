# The list of parts of an installation, kubecoro.spdx.json (SPDX 2.3): kubecoro, the libraries that its modules link or read, in the versions
# that were found, and the API of Kubernetes that its schemas come from.

# The version of a library: as its package for CMake, pkg-config or dpkg says.
function(kubecoro_version_of target name module out)
  string(TOUPPER ${name} upper)
  kubecoro_pkg_config_version(${module} told)
  set(version "")
  if(name STREQUAL "Boost")
    get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
    find_file(header boost/version.hpp PATHS ${folders} NO_CACHE)
    file(STRINGS ${header} line REGEX "define BOOST_VERSION ")
    string(REGEX MATCH "[0-9]+" number "${line}")
    math(EXPR major "${number} / 100000")
    math(EXPR minor "${number} / 100 % 1000")
    math(EXPR patch "${number} % 100")
    set(version ${major}.${minor}.${patch})
  elseif(${name}_VERSION)
    set(version ${${name}_VERSION})
  elseif(${upper}_VERSION)
    set(version ${${upper}_VERSION})
  elseif(told AND NOT told MATCHES "^[0.]+$")
    set(version ${told})
  else()
    kubecoro_location(${target} file)
    find_program(dpkg_query dpkg-query NO_CACHE)
    if(file AND dpkg_query)
      file(REAL_PATH ${file} file)
      execute_process(COMMAND ${dpkg_query} -S ${file} OUTPUT_VARIABLE owner ERROR_QUIET)
      string(REGEX REPLACE ": .*" "" owner "${owner}")
      execute_process(COMMAND ${dpkg_query} -W -f \${source:Upstream-Version} ${owner} OUTPUT_VARIABLE version ERROR_QUIET)
    endif()
  endif()
  set(${out} "${version}" PARENT_SCOPE)
endfunction()

# Appends a package to `packages` and `relations` of the caller.
function(kubecoro_sbom_package name version licence home relation)
  set(id SPDXRef-${name})
  set(about "")
  if(home)
    set(about "\"homepage\": \"${home}\", ")
  endif()
  if(version)
    string(TOLOWER ${name} lower)
    string(REPLACE "+" "%2B" encoded "${version}")
    string(APPEND about "\"versionInfo\": \"${version}\", \"externalRefs\": [{\"referenceCategory\": \"PACKAGE-MANAGER\", \"referenceType\": \"purl\", "
      "\"referenceLocator\": \"pkg:generic/${lower}@${encoded}\"}], ")
  endif()
  string(CONCAT package "    {\"SPDXID\": \"${id}\", \"name\": \"${name}\", ${about}\"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false, "
    "\"licenseConcluded\": \"NOASSERTION\", \"licenseDeclared\": \"${licence}\", \"copyrightText\": \"NOASSERTION\"}")
  string(REPLACE "@" "${id}" relation "${relation}")
  set(packages ${packages} "${package}" PARENT_SCOPE)
  set(relations ${relations} "    {${relation}}" PARENT_SCOPE)
endfunction()

set(needed)
foreach(module IN LISTS modules)
  kubecoro_linked(${module} LINK_LIBRARIES libraries)
  list(APPEND needed ${libraries})
endforeach()
list(FILTER needed EXCLUDE REGEX "^kubecoro_|^Threads::")
if(TARGET kubecoro_program)
  list(APPEND needed spdlog::spdlog_header_only)
endif()
list(REMOVE_DUPLICATES needed)

set(packages)
set(relations)
kubecoro_sbom_package(kubecoro ${PROJECT_VERSION} Apache-2.0 ""
  "\"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\", \"relatedSpdxElement\": \"@\"")
set(listed)
foreach(target IN LISTS needed)
  kubecoro_library(${target} row)
  list(GET row 0 name)
  if(NOT name IN_LIST listed)
    list(APPEND listed ${name})
    list(GET row 1 licence)
    list(GET row 2 home)
    list(GET row 3 pkg)
    kubecoro_version_of(${target} ${name} ${pkg} version)
    kubecoro_sbom_package(${name} "${version}" ${licence} ${home}
      "\"spdxElementId\": \"SPDXRef-kubecoro\", \"relationshipType\": \"DEPENDS_ON\", \"relatedSpdxElement\": \"@\"")
  endif()
endforeach()
file(STRINGS ${PROJECT_SOURCE_DIR}/lib/api/schemas/extract/go.mod line REGEX "k8s.io/api v")
string(REGEX REPLACE ".* v" "" version "${line}")
kubecoro_sbom_package(k8s.io-api ${version} Apache-2.0 https://github.com/kubernetes/api
  "\"spdxElementId\": \"SPDXRef-kubecoro\", \"relationshipType\": \"GENERATED_FROM\", \"relatedSpdxElement\": \"@\"")

list(JOIN packages ",\n" packages)
list(JOIN relations ",\n" relations)
string(UUID id NAMESPACE 6ba7b811-9dad-11d1-80b4-00c04fd430c8 NAME "${packages}" TYPE SHA1)
string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC) # that of SOURCE_DATE_EPOCH, where it is set
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/kubecoro.spdx.json "{
  \"spdxVersion\": \"SPDX-2.3\",
  \"dataLicense\": \"CC0-1.0\",
  \"SPDXID\": \"SPDXRef-DOCUMENT\",
  \"name\": \"kubecoro-${PROJECT_VERSION}\",
  \"documentNamespace\": \"https://spdx.org/spdxdocs/kubecoro-${PROJECT_VERSION}-${id}\",
  \"creationInfo\": {\"created\": \"${created}\", \"creators\": [\"Tool: kubecoro-sbom.cmake-${PROJECT_VERSION}\"]},
  \"packages\": [
${packages}
  ],
  \"relationships\": [
${relations}
  ]
}
")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kubecoro.spdx.json DESTINATION ${CMAKE_INSTALL_DATADIR}/kubecoro)
