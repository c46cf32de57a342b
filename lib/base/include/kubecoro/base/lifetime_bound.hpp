#pragma once

/** Behind a member function: what it returns is lent by the object, so clang warns where it outlives it.

    Nothing to other compilers. */
#ifdef __clang__
#define KUBECORO_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define KUBECORO_LIFETIME_BOUND
#endif
