// Any text: an object or a failure; what was read comes back the same.
#include "fuzz.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/test/read_everything.hpp>

using namespace kubecoro;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto parsed = object::parse(fuzz::text(data, size));
    if (!parsed) {
        fuzz::require(parsed.error() == cond::corrupt, "what cannot be read is corrupt");
        return 0;
    }
    const std::string text = parsed->to_text();
    const auto again = object::parse(text);
    fuzz::require(again.has_value(), "text output can be read");
    fuzz::require(again->to_text() == text, "text output is stable");
    fuzz::require(parsed->root() == again->root(), "what comes back is equal");
    fuzz::require(object::from_json(parsed->to_json()).has_value(), "the JSON value can be read");
    decode_options o;
    o.drop_managed_fields = true;
    const auto pruned = decode_object(text, o);
    fuzz::require(pruned.has_value() && !pruned->metadata()["managedFields"], "managedFields are gone");
    test::read_everything(parsed->root());
    // From unknown to known: the same text by ever more numbers.
    const auto shared = make_object_encoding();
    for (int i = 0; i < 10; ++i) {
        const auto numbered = decode_object(text, {}, shared);
        fuzz::require(numbered.has_value() && numbered->to_text() == text, "a vocabulary changes nothing that is read");
        fuzz::require(numbered->root() == parsed->root(), "a vocabulary changes no value");
    }
    return 0;
}
