#pragma once
// Checks the writes of a client before they are sent: reads schemas and keeps them.

#include "check/body_check.hpp"
#include "check/schema_cache_core.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace kubecoro::detail {

/// Thread safe. Writes that need the same schema at the same time share one read.
class write_checker
{
public:
    /// @param options  Those of the client, which outlive this.
    explicit write_checker(const client_options& options);

    /// The way in which a write is checked.
    [[nodiscard]] field_validation chosen(field_validation asked) const noexcept
    {
        return asked == field_validation::unset && checks_.always ? field_validation::client : asked;
    }

    /** Checks the body of a request, and replaces it if defaults are to be filled in.

        @param c     The client that sends it; reads schemas.
        @par Errors  cond::invalid, with the request; cond::cancelled. A schema that cannot be had is none, nor is a present
                     object that cannot be read. */
    [[nodiscard]] boost::asio::awaitable<result<>> check(client c, request& r, checked_body what);

private:
    using kept = std::optional<object_schema>;
    class running_read;

    /// The schema that needs no reading: the user's, or a built-in kind's.
    [[nodiscard]] known_schema at_hand(const resource_type& resource) const;
    /// @param fresh  Not the kept one, if that may have changed.
    [[nodiscard]] boost::asio::awaitable<result<kept>> schema_of(client c, resource_type resource, bool fresh);
    /// @param running  Made before this coroutine is, which may fail.
    [[nodiscard]] boost::asio::awaitable<result<kept>> read(client c, resource_type resource, running_read running);
    void note_unchecked(const std::string& kind, const failure& why);
    /** Asks again about a body that was refused, with the present object: the server forgives invalid values that a write
        does not change.
        @param checked  The outcome without it. */
    [[nodiscard]] boost::asio::awaitable<result<>> decide(client c, request& r, checked_body what, known_schema schema,
                                                          result<std::string> checked);
    [[nodiscard]] bool may_have_changed(const std::string& kind);
    result<> finish(request& r, result<std::string> checked);

    const client_options& options_;
    const write_checks& checks_;
    std::shared_ptr<metrics::counter> passed_;
    std::shared_ptr<metrics::counter> refused_;
    std::shared_ptr<metrics::counter> unchecked_;

    std::mutex mutex_;
    schema_cache_core cache_;
    /// The reads that run. Settled when they end.
    std::map<std::string, latch> reading_;
    /// The kinds that were logged as unchecked.
    std::map<std::string, bool> noted_;
};

} // namespace kubecoro::detail
