// The conversions of one request, which is begun again when they are known.
#pragma once

#include <kubecoro/admission/detail/conversion_call.hpp>
#include <kubecoro/admission/detail/webhook_caller.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** A request is answered on one strand, without waiting. Where it needs objects that a webhook has to convert, it is given up
    with pending(), the webhook is asked by perform(), and the request begins again: convert() then knows the objects, unless
    others have changed them meanwhile.

    An object is recognised by all but its metadata, and by its labels, annotations and name: the rest of the metadata is not
    converted, and changes from one attempt at a write to the next. */
class conversion_ledger
{
public:
    /// @param find  Outlives it.
    conversion_ledger(const find_webhook& find, std::shared_ptr<time_source> time) : caller_(find, std::move(time)) {}

    using objects = std::vector<boost::json::object>;
    /** Converts objects, of which none is in the wanted version; all that are not known in one question.

        @param from  Each with kind, apiVersion and metadata. @param wanted  An apiVersion.
        @return nothing while it is pending(): the request must end without an effect. Errors: the message is in the words of
        a kube-apiserver. */
    [[nodiscard]] std::optional<result<objects>> convert(const conversion_webhook& by, const objects& from,
                                                         std::string_view wanted);
    [[nodiscard]] bool pending() const noexcept { return !asked_.objects.empty(); }
    /// Asks the webhook. Never fails.
    [[nodiscard]] boost::asio::awaitable<void> perform();
    /// Forgets what is known, so that a ledger can serve a long stream.
    void forget();

private:
    /// Objects by their keys.
    using known_objects = std::map<std::string, result<boost::json::object>, std::less<>>;
    [[nodiscard]] boost::asio::awaitable<void> ask(conversion_question question);
    /// Takes the next objects of asked_, up to some MiB.
    [[nodiscard]] conversion_question next_part();

    webhook_caller caller_;
    known_objects known_;
    /// The next question; without objects there is none.
    conversion_question asked_;
    std::uint32_t attempts_ = 0;
    std::uint64_t reviews_ = 0;
};

} // namespace kubecoro::detail
