// Parses arbitrary text as a label selector and as a field selector: an accepted selector must print text that parses
// to an equal one.
#include "fuzz.hpp"

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/selector.hpp>

using namespace kubecoro;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const object sample = *object::parse(R"({"metadata":{"labels":{"app":"web","n":"5","e":"","x/y":"z"}}})");
    const std::string_view text = fuzz::text(data, size);
    if (const auto labels = label_selector::parse(text)) {
        const auto again = label_selector::parse(labels->to_string());
        fuzz::require(again && *again == *labels, "a printed label selector parses to an equal one");
        fuzz::require(again->matches(sample.labels()) == labels->matches(sample.labels()), "equal selectors agree");
    }
    if (const auto fields = field_selector::parse(text)) {
        const auto again = field_selector::parse(fields->to_string());
        fuzz::require(again && *again == *fields, "a printed field selector parses to an equal one");
        const auto value = [](std::string_view path) { return std::string(path.substr(0, 3)); };
        fuzz::require(again->matches(value) == fields->matches(value), "equal selectors agree");
    }
    return 0;
}
