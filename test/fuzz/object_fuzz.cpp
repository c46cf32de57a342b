// Decodes arbitrary text as an object: accepted objects must survive a round trip.
#include "fuzz.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/test/read_everything.hpp>

using namespace kubecoro;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto parsed = object::parse(fuzz::text(data, size));
    if (!parsed) {
        fuzz::require(parsed.error() == cond::corrupt, "invalid text is reported as corrupt");
        return 0;
    }
    const std::string text = parsed->to_text();
    const auto again = object::parse(text);
    fuzz::require(again.has_value(), "text output can be parsed");
    fuzz::require(again->to_text() == text, "text output is stable");
    fuzz::require(parsed->root() == again->root(), "the parsed output equals the object");
    fuzz::require(object::from_json(parsed->to_json()).has_value(), "the JSON value can be parsed");
    decode_options o;
    o.drop_managed_fields = true;
    const auto pruned = decode_object(text, o);
    fuzz::require(pruned.has_value() && !pruned->metadata()["managedFields"], "managedFields are absent");
    test::read_everything(parsed->root());
    // With each round, the vocabulary shares more of the same text.
    const auto shared = detail::make_object_encoding();
    for (int i = 0; i < 10; ++i) {
        const auto numbered = decode_object(text, {}, shared);
        fuzz::require(numbered.has_value() && numbered->to_text() == text, "a vocabulary does not change the text");
        fuzz::require(numbered->root() == parsed->root(), "a vocabulary does not change the value");
    }
    return 0;
}
