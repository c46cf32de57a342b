#include "workloads.hpp"

#include <boost/json.hpp>

#include <array>
#include <string>

namespace kubecoro::bench {

namespace {

/// Runs measurements that the subject makes inside itself. One that it does not support is missing, not a failure.
template<std::size_t N>
result<boost::json::object> record(session& s, std::string_view command, const std::array<std::string_view, N>& metrics)
{
    auto answer = s.ask(command);
    for (auto metric : metrics) {
        auto number = answer ? number_in(*answer, metric) : result<double>(answer.error());
        if (number) {
            s.add(metric, metric.ends_with("_bytes") ? "bytes" : "ns", *number);
        } else if (number.error() == cond::corrupt) {
            s.missing(metric, "not offered by this subject");
        } else {
            return number.error();
        }
    }
    return answer ? *answer : boost::json::object();
}

} // namespace

result<> run_read(session& s)
{
    auto read = record<3>(s, "read", {"one_field_ns", "five_fields_ns", "scan_ns_per_object"});
    return read ? result<>() : read.error();
}

result<> run_queue(session& s)
{
    auto answer = record<6>(s, "queue " + std::to_string(s.options().queue_keys),
                            {"cycle_ns", "add_ns", "get_done_ns", "add_after_ns", "add_after_bytes", "contended_ns"});
    if (!answer) return answer.error();
    // The sum: libraries do parts of the work at different times.
    const auto added = number_in(*answer, "add_ns");
    const auto done = number_in(*answer, "get_done_ns");
    if (added && done) s.add("distinct_ns", "ns", *added + *done);
    return {};
}

} // namespace kubecoro::bench
