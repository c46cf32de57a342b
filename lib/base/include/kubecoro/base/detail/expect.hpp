// Checks of preconditions. Not installed: no header that users include may depend on whether they are on.
#pragma once

#include <source_location>

#if !defined(NDEBUG) && !defined(KUBECORO_NO_ASSERTIONS)
#define KUBECORO_ASSERTIONS
#endif

/** Ends the program, with the condition and its place on standard error, if the condition is false. Only for what the
    library itself guarantees: a user's mistake is a failure. Builds without KUBECORO_ASSERTIONS do not evaluate it. */
#ifdef KUBECORO_ASSERTIONS
#define KUBECORO_EXPECT(...) ((__VA_ARGS__) ? void() : ::kubecoro::detail::expectation_failed(#__VA_ARGS__))
#else
#define KUBECORO_EXPECT(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))
#endif

namespace kubecoro::detail {

[[noreturn]] void expectation_failed(const char* condition,
                                     std::source_location at = std::source_location::current()) noexcept;

} // namespace kubecoro::detail
