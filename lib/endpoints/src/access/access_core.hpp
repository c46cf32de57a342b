// Which verdicts about tokens are known, and which reviews may begin. Sans-io.
#pragma once

#include <kubecoro/http/detail/client_turns.hpp>

#include <kubecoro/endpoints/access_filter.hpp>

#include <array>
#include <cstring>
#include <list>
#include <map>
#include <optional>
#include <set>
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
        /// Another caller reviews it, or will: call on_waited() after that, and ask again.
        wait,
        /// The caller reviews the token in its turn, which next() names, and calls on_turn() then, or on_left() before.
        turn,
        /// Too many reviews are due.
        busy
    };
    [[nodiscard]] step on_request(const access_digest& of, const client_id& client, turn_waiter& who, time_point now);
    /// As client_turns: of the callers that wait for their turn.
    [[nodiscard]] turn_waiter* next(time_point now) { return turns_.next(now); }
    [[nodiscard]] time_point due(time_point now) noexcept { return turns_.due(now); }
    /// Its turn has come: the review begins.
    void on_turn(const access_digest& of, const client_id& client);
    /// It waits no longer. @param had_turn  Though next() has named it.
    void on_left(const access_digest& of, const client_id& client, const turn_waiter& who, bool had_turn) noexcept;
    /// The review has ended.
    void on_reviewed(const access_digest& of, access_verdict verdict, time_point now);
    /// The review has ended without a verdict.
    void on_failed(const access_digest& of);
    /// A caller that was to wait for another one no longer does.
    void on_waited(const client_id& client) noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
    struct entry
    {
        std::optional<access_verdict> verdict = {};
        time_point expires = {};
        bool reviewing = false;
        /// While a stranger's review runs: whose turn it is.
        std::optional<client_id> turn_of = {};
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

    void begin(const access_digest& of, std::optional<client_id> turn_of);
    void end_turn(entry& e) noexcept;
    [[nodiscard]] table::iterator add(const access_digest& of);
    std::list<access_digest>& list_of(const entry& e);
    void forget(table::iterator at);
    void make_room();

    const limits limits_;
    table entries_;
    /// Most recently used first. Entries without a verdict count as refused.
    std::list<access_digest> refused_, allowed_;
    /// Reviews of strangers.
    client_turns turns_;
    /// Those whose review waits for its turn.
    std::set<access_digest> queued_;
    /// Callers of each address that wait for others.
    std::map<client_id, std::size_t> waiting_;
};

} // namespace kubecoro::detail
