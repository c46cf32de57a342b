#pragma once
// The bearer token of a client, which follows its file.

#include "auth/token_core.hpp"
#include "files/background_call.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

namespace kubecoro::detail {

/** Reads the token file when it is time.

    On a thread of its own, one read at a time, since a network file system may hang: callers wait for a moment and then
    continue with the last token, and so does everybody else, without waiting, until that read has ended. Thread safe. */
class token_source
{
public:
    /// @param initial  Used until the file has been read; may be empty.  @param file  Empty = the token stays.
    token_source(std::string initial, std::string file, environment machine, std::shared_ptr<time_source> time);

    struct token
    {
        std::string text;
        /// Why the file has not been read, unless that was reported before.
        std::string problem = {};
    };
    /// The current token. Blocks for `patience` at most. @param read  Reads the file although it is not yet time.
    [[nodiscard]] token current(bool read);

    /// Far longer than a file system needs that answers. In real time, which the read takes, too.
    static constexpr std::chrono::milliseconds patience{250};

private:
    struct reading
    {
        std::shared_ptr<background_call<result<std::string>>> content;
        std::chrono::steady_clock::time_point begun;
    };

    /// Errors: the system has no thread or pipe left.
    [[nodiscard]] result<std::shared_ptr<const reading>> begin_reading();
    /// Takes what a read has found, once. @return why there is no token, as token::problem.
    [[nodiscard]] std::string take(const reading& r, time_point now);

    const std::string file_;
    const environment machine_;
    const std::shared_ptr<time_source> time_;
    checked_mutex mutex_;
    token_core core_;
    /// Null: none runs.
    std::shared_ptr<const reading> reading_;
};

} // namespace kubecoro::detail
