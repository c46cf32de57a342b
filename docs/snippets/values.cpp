// Snippets of docs/guide/types.md.
#include <kubecoro/kubecoro.hpp>

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
