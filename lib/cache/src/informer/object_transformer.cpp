#include "informer/object_transformer.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/base/catch_failure.hpp>

#include <exception>
#include <utility>

namespace kubecoro::detail {

object_transformer::object_transformer(object_transform f, std::shared_ptr<object_encoding> encoding, logger log)
    : call_(std::move(f)), encoding_(std::move(encoding)), log_(std::move(log))
{
}

object object_transformer::apply(const object& fresh) const
{
    auto made = call(fresh);
    if (made) return std::move(*made);
    ++failures_;
    log_.warning("a transform failed; the object is stored as received",
                 {{"object", to_string(fresh.key())}, {"failure", made.error().describe()}});
    return fresh;
}

result<object> object_transformer::call(const object& fresh) const
{
    object made;
    try {
        made = call_(fresh);
    } catch (...) {
        return to_failure(std::current_exception());
    }
    if (made.is_same(fresh)) return made;
    if (!made || made.key() != fresh.key() || !made.same_uid(fresh) ||
        made.resource_version() != fresh.resource_version())
        return failure(cond::invalid, "name, namespace, uid and resourceVersion must stay");
    // The user's object has storage of its own; decoding makes it share storage like the others.
    return decode_object(made.to_text(), {}, encoding_);
}

} // namespace kubecoro::detail
