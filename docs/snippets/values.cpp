// Snippets of docs/guide/types.md.
#include <kubecoro/api/value_json.hpp>
#include <kubecoro/kubecoro.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <map>
#include <string>
#include <vector>

using namespace kubecoro::literals;

//[quantity
using resources = std::map<std::string, kubecoro::quantity>;

// "1Gy"_quantity does not compile.
const resources limits{{"cpu", "1500m"_quantity}, {"memory", kubecoro::quantity::bytes(512 << 20)}};

kubecoro::result<bool> fits(const std::vector<std::string>& requests, const kubecoro::quantity& allocatable)
{
    kubecoro::quantity total;
    for (const auto& text : requests) {
        auto request = kubecoro::quantity::parse(text);
        if (!request) return request.error(); // expected a quantity such as 250m or 64Mi, got '12 apples'
        total += *request;
    }
    return total <= allocatable;
}
//]

//[times
bool is_older_than(const kubecoro::timestamp& created, std::chrono::system_clock::time_point now,
                   const kubecoro::go_duration& age)
{
    return now - created.time() > age.length();
}

const kubecoro::timestamp start = std::chrono::sys_days{std::chrono::year{2026} / 1 / 31};
const kubecoro::go_duration week = std::chrono::hours{7 * 24}; // 168h0m0s
//]

//[share
// maxUnavailable: 25% of 10 replicas are 2, of 3 replicas 0.
kubecoro::result<std::int64_t> may_be_unavailable(const kubecoro::int_or_string& max_unavailable, int replicas)
{
    return max_unavailable.scaled(replicas, kubecoro::rounding::down);
}

const kubecoro::int_or_string port = 8080;
const kubecoro::int_or_string named_port = "http";
//]

//[json
kubecoro::result<kubecoro::quantity> cpu_of(const boost::json::object& amounts)
{
    return kubecoro::from_json<kubecoro::quantity>(amounts.at("cpu"));
}

boost::json::value limits_of_a_container()
{
    return boost::json::value_from(resources{{"cpu", "250m"_quantity}}); // {"cpu":"250m"}
}
//]
