#include <kubecoro/base/condition.hpp>

#include <string>

namespace kubecoro {
namespace {

// The base class has a protected non-virtual destructor by design: categories are never deleted.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
class category final : public boost::system::error_category
{
public:
    [[nodiscard]] const char* name() const noexcept override { return "kubecoro"; }
    [[nodiscard]] std::string message(int value) const override
    {
        return std::string(to_string(static_cast<cond>(value)));
    }
};
#pragma GCC diagnostic pop

} // namespace

std::string_view to_string(cond c) noexcept
{
    switch (c) {
    case cond::not_found:
        return "not_found";
    case cond::already_exists:
        return "already_exists";
    case cond::conflict:
        return "conflict";
    case cond::invalid:
        return "invalid";
    case cond::unauthorized:
        return "unauthorized";
    case cond::forbidden:
        return "forbidden";
    case cond::expired:
        return "expired";
    case cond::too_large_resource_version:
        return "too_large_resource_version";
    case cond::retry_later:
        return "retry_later";
    case cond::unreachable:
        return "unreachable";
    case cond::timed_out:
        return "timed_out";
    case cond::cancelled:
        return "cancelled";
    case cond::corrupt:
        return "corrupt";
    case cond::internal:
        return "internal";
    case cond::misconfigured:
        return "misconfigured";
    }
    return "unknown";
}

const boost::system::error_category& kubecoro_category() noexcept
{
    static const category instance;
    return instance;
}

} // namespace kubecoro
