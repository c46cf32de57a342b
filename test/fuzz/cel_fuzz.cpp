// An expression, then a line `---` and a JSON value for its variable `self`: compiling and evaluating end within their limits, and a
// second evaluation gives the same.
#include "fuzz.hpp"

#include <kubecoro/cel/program.hpp>
#include <kubecoro/cel/validation_rules.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <string>

using namespace kubecoro;
namespace json = boost::json;

namespace {

constexpr std::string_view divider = "\n---\n";
const cel::budget limits{100'000, 4 << 20};

void evaluate(const cel::program& program, const json::value& self)
{
    const cel::bindings named{{"self", cel::value::of_json(self)}};
    const auto once = program.evaluate(named, limits);
    const auto again = program.evaluate({{"self", cel::value::of_json(self)}}, limits);
    fuzz::require(once.cost == again.cost, "an evaluation costs the same again");
    fuzz::require(once.outcome.has_value() == again.outcome.has_value(), "an evaluation has the same outcome again");
    if (once.outcome)
        fuzz::require(once.outcome->to_text() == again.outcome->to_text(), "an evaluation has the same value again");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::text(data, size);
    const auto end = std::min(text.find(divider), text.size());
    const std::string expression(text.substr(0, end));
    boost::system::error_code error;
    auto self = json::parse(text.substr(std::min(text.size(), end + divider.size())), error);
    if (error) self = nullptr;
    const auto checked = cel::program::compile(expression, {{"self", "dyn"}});
    const auto unchecked = cel::program::compile_unchecked(expression);
    if (checked) {
        fuzz::require(unchecked.has_value(), "what is right is right without a check");
        evaluate(*checked, self);
    } else {
        fuzz::require(checked.error() == cond::invalid && !checked.error().message().empty(),
                      "a wrong expression is told");
    }
    if (unchecked) evaluate(*unchecked, self);
    return 0;
}
