// Which verdicts about tokens are known, and which reviews may begin. Sans-io.
#pragma once

#include <kubecoro/endpoints/access_filter.hpp>

#include <array>
#include <cstring>
#include <list>
#include <optional>
#include <unordered_map>

namespace kubecoro::detail {

/// A keyed hash of a token and a path. Its bits are unpredictable without the key.
using access_digest = std::array<unsigned char, 32>;

class access_core
{
public:
    struct limits
    {
        duration keep_allowed;
        duration keep_refused;
        std::size_t max_verdicts;
        std::size_t max_reviews;
        std::size_t reviews_per_second;
    };
    explicit access_core(const limits& l);

    enum class step
    {
        allowed,
        unauthenticated,
        forbidden,
        /// The caller reviews the token, and reports the end.
        review,
        /// Another caller reviews it: call on_waited() after that, and ask again.
        wait,
        /// Too many reviews are due.
        busy
    };
    [[nodiscard]] step on_request(const access_digest& of, time_point now);
    /// The review has ended.
    void on_reviewed(const access_digest& of, access_verdict verdict, time_point now);
    /// The review has ended without a verdict.
    void on_failed(const access_digest& of);
    /// A caller that was to wait no longer does.
    void on_waited() noexcept { --waiting_; }

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
    struct entry
    {
        std::optional<access_verdict> verdict = {};
        time_point expires = {};
        /// While a review runs: whether it counts as one of a stranger.
        bool reviewing = false;
        bool counted = false;
        /// Its place in `refused_` or `allowed_`.
        std::list<access_digest>::iterator place = {};
    };
    struct digest_hash
    {
        std::size_t operator()(const access_digest& d) const noexcept
        {
            std::size_t out;
            std::memcpy(&out, d.data(), sizeof out);
            return out;
        }
    };
    using table = std::unordered_map<access_digest, entry, digest_hash>;

    [[nodiscard]] bool stranger_may(time_point now);
    [[nodiscard]] table::iterator add(const access_digest& of);
    std::list<access_digest>& list_of(const entry& e);
    void forget(table::iterator at);
    void make_room();

    const limits limits_;
    table entries_;
    /// Most recently used first. Entries without a verdict count as refused.
    std::list<access_digest> refused_, allowed_;
    std::size_t strangers_ = 0;
    std::size_t waiting_ = 0;
    /// The time up to which the budget of strangers is spent.
    time_point spent_ = time_point::min();
};

} // namespace kubecoro::detail
