#include "micro_results.hpp"

#include <boost/json.hpp>

namespace kubecoro::bench {

namespace json = boost::json;

namespace {

std::string text_in(const json::object& o, std::string_view name, std::string fallback)
{
    const auto* value = o.if_contains(name);
    return value ? json::value_to<std::string>(*value) : fallback;
}

void add(const json::object& run, sample_book& book)
{
    // The argument after the slash is dropped where a label describes it better.
    const auto name = json::value_to<std::string>(run.at("name"));
    const auto label = text_in(run, "label", {});
    cell what{.workload = "micro",
              .subject = label.empty() ? name : name.substr(0, name.find('/')) + ", " + label,
              .data = "-",
              .objects = 0,
              .metric = "time",
              .unit = "ns/op"};
    book.add(what, 1e9 / run.at("items_per_second").to_number<double>());
    for (const auto& [key, metric] : {std::pair{"allocs/op", "allocations"}, std::pair{"bytes/op", "allocated"}}) {
        what.metric = metric;
        what.unit = key;
        book.add(what, run.at(key).to_number<double>());
    }
}

} // namespace

result<> add_micro_results(std::string_view text, sample_book& book)
{
    try {
        const auto report = json::parse(text);
        for (const auto& run : report.as_object().at("benchmarks").as_array())
            if (text_in(run.as_object(), "run_type", {}) == "iteration") add(run.as_object(), book);
        return {};
    } catch (const std::exception& e) {
        return failure(cond::corrupt, std::string("not Google Benchmark's results: ") + e.what());
    }
}

} // namespace kubecoro::bench
