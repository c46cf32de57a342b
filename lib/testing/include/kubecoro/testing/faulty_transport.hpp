#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/client/transport.hpp>
#include <kubecoro/testing/fault_plan.hpp>

#include <memory>

namespace kubecoro::testing {

/** Any transport, with the faults of a plan between it and its user.

    What a fault breaks fails with cond::unreachable, as a broken connection does. Thread safe as far as `inner` is. */
class faulty_transport final : public transport
{
public:
    /// @param c  For delays. All three are kept alive.
    faulty_transport(std::shared_ptr<transport> inner, std::shared_ptr<fault_plan> plan,
                     std::shared_ptr<time_source> c);
    ~faulty_transport() override;

    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override;

private:
    struct parts;
    std::shared_ptr<const parts> parts_;
};

} // namespace kubecoro::testing
