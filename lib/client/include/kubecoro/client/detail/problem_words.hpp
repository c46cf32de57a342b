// The fault of a text, in words.
#pragma once

#include <kubecoro/base/failure.hpp>

#include <string>
#include <utility>

namespace kubecoro::detail {

/** The error of readers that name a fault and no condition.

    A class and no std::string, because from Boost 1.92 on `*result` calls throw_exception_from_error(), found beside the class of
    the error. */
struct problem_words : std::string
{
    using std::string::string;
    problem_words(std::string words) noexcept : std::string(std::move(words)) {}
};

[[noreturn]] inline void throw_exception_from_error(const problem_words& words, const boost::source_location& where)
{
    throw_exception_from_error(failure(cond::corrupt, words), where);
}

} // namespace kubecoro::detail
