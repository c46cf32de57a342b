# Which compilers are accepted, by name and version.
# usage: cmake -DSOURCE_TREE=DIR -P compilers.cmake
include(${SOURCE_TREE}/lib/package/kubecoro-compiler.cmake)

function(expect id version words)
  set(CMAKE_CXX_COMPILER_ID "${id}")
  set(CMAKE_CXX_COMPILER_VERSION "${version}")
  kubecoro_refuse_compiler(refusal)
  if(words STREQUAL "accepted" AND refusal)
    message(SEND_ERROR "${id} ${version} is refused: ${refusal}")
  elseif(NOT words STREQUAL "accepted" AND NOT refusal MATCHES "${words}")
    message(SEND_ERROR "the refusal of ${id} ${version} does not say \"${words}\": ${refusal}")
  endif()
endfunction()

expect(GNU 11.4.0 "by gcc 11\\.4\\.0, which copies temporaries")
expect(GNU 12.2.0 "by gcc 12\\.2\\.0, which copies temporaries.*: install gcc 13, clang 16")
expect(GNU 13.1.0 accepted)
expect(GNU 16.2.0 accepted)
expect(Clang 15.0.7 "by clang 15\\.0\\.7, which lacks parts of C\\+\\+20.*: install gcc 13, clang 16")
expect(Clang 16.0.0 accepted)
expect(Clang 21.1.0 accepted)
expect(AppleClang 15.0.0 accepted)
expect("" "" accepted) # a project without C++
