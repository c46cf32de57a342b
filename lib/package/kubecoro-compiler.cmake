# The oldest compilers: docs/decisions/0089-oldest-compilers.md.

# kubecoro_refuse_compiler(<out>): why this compiler cannot be used, and what to install; nothing for one that can.
function(kubecoro_refuse_compiler out)
  set(refusal)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    set(refusal "gcc ${CMAKE_CXX_COMPILER_VERSION}, which copies temporaries beside a co_await byte by byte and so corrupts the heap")
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
    set(refusal "clang ${CMAKE_CXX_COMPILER_VERSION}, which lacks parts of C++20 that it uses")
  endif()
  if(refusal)
    string(PREPEND refusal "kubecoro cannot be compiled by ")
    string(APPEND refusal ": install gcc 13, clang 16 or a later one, such as clang-19 of Debian 12, and configure a new build tree with "
      "-DCMAKE_CXX_COMPILER=clang++-19")
  endif()
  set(${out} "${refusal}" PARENT_SCOPE)
endfunction()
