#pragma once

/** Placed after a member function: its result is owned by the object, so clang warns where it outlives the object.

    Expands to nothing with other compilers. */
#ifdef __clang__
#define KUBECORO_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define KUBECORO_LIFETIME_BOUND
#endif
