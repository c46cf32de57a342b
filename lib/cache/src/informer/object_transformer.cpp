#include "informer/object_transformer.hpp"

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Attempts at an object: with the pauses between them less than a second.
constexpr unsigned most_attempts = 4;

/// Exceptions in a period that may hold up the informer. A transform that fails once for each object uses them up too.
constexpr unsigned most_exceptions = 12;

/// The period; also the time without further attempts once an object has used up its own.
constexpr duration period = std::chrono::minutes{1};

} // namespace

object_transformer::object_transformer(std::function<object(const object&)> f,
                                       std::shared_ptr<object_encoding> encoding, logger log)
    : call_(std::move(f)), encoding_(std::move(encoding)), log_(std::move(log))
{
}

result<object> object_transformer::apply(const object& fresh, time_point now)
{
    auto made = call(fresh);
    if (!made && patient(now)) return made;
    thrown_ = 0;
    if (!made) return give_up(fresh, made.error(), now);
    if (made->is_same(fresh)) return made;
    auto encoded = encode(*made, fresh);
    return encoded ? std::move(encoded) : give_up(fresh, encoded.error(), now);
}

bool object_transformer::patient(time_point now)
{
    if (now >= period_end_) {
        period_end_ = time_after(now, period);
        exceptions_ = 0;
    }
    if (exceptions_ == most_exceptions) return false;
    ++exceptions_;
    if (++thrown_ < most_attempts) return true;
    period_end_ = time_after(now, period);
    exceptions_ = most_exceptions;
    return false;
}

object object_transformer::give_up(const object& fresh, const failure& why, time_point now)
{
    ++failures_;
    if (failures_shown_.pass(log_, now))
        log_.warning("a transform failed; the object is stored as received",
                     {{"object", to_string(fresh.key())}, {"failure", why.describe()}});
    return fresh;
}

result<object> object_transformer::call(const object& fresh) const
{
    try {
        return call_(fresh);
    } catch (...) {
        const auto why = to_failure(std::current_exception());
        // The cancellation of something inside the transform is not the informer's.
        return why == cond::cancelled ? failure(cond::internal, why.message()) : why;
    }
}

result<object> object_transformer::encode(const object& made, const object& fresh) const
{
    if (!made || made.key() != fresh.key() || !made.same_uid(fresh) ||
        made.resource_version() != fresh.resource_version())
        return failure(cond::invalid, "name, namespace, uid and resourceVersion must stay");
    // The user's object has storage of its own; decoding makes it share storage like the others.
    return parse_object(made.to_text(), made.is_partial() || fresh.is_partial(), encoding_);
}

} // namespace kubecoro::detail
