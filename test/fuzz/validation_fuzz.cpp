// A schema on the first line, a value on the second: checks end within their limits, and settling a value twice changes nothing.
#include "fuzz.hpp"

#include <kubecoro/api/validation.hpp>

#include <boost/json/parse.hpp>

using namespace kubecoro;
namespace json = boost::json;

namespace {

json::value parsed(std::string_view text, bool& right)
{
    boost::system::error_code error;
    auto v = json::parse(text, error);
    right = right && !error;
    return v;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::text(data, size);
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return 0;
    bool right = true;
    const auto document = parsed(text.substr(0, end), right);
    auto value = parsed(text.substr(end + 1), right);
    if (!right) return 0;
    const auto schema = object_schema::of_schema(document);
    if (!schema) {
        fuzz::require(schema.error() == cond::invalid && !schema.error().message().empty(), "a wrong schema is told");
        return 0;
    }
    const auto errors = schema->structural_errors(value);
    fuzz::require(errors.size() <= 102, "errors are limited"); // with the two notes at the end
    fuzz::require(schema->check(value).has_value() == (errors.empty() && schema->rules().empty()),
                  "a check fails if there are errors, or rules");
    fuzz::require(schema->structural_errors(value, value).size() <= 102, "errors of updates are limited");
    (void)schema->errors_in_defaults("schema");
    schema->prune(value);
    fuzz::require(schema->unknown_fields(value).empty(), "nothing unknown is left");
    if (!schema->fill_defaults(value)) return 0;
    auto again = value;
    fuzz::require(schema->fill_defaults(again).has_value(), "defaults are small the second time");
    return 0;
}
