#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/client/transport.hpp>
#include <kubecoro/testing/fault_plan.hpp>

#include <memory>

namespace kubecoro::testing {

/** Wraps a transport and injects the faults of a plan.

    Cut and refused connections fail with cond::unreachable. Thread safe if `inner` is. */
class faulty_transport final : public transport
{
public:
    /// @param c  For delays. Shares ownership of all three.
    faulty_transport(std::shared_ptr<transport> inner, std::shared_ptr<fault_plan> plan,
                     std::shared_ptr<time_source> c);
    ~faulty_transport() override;

    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override;

private:
    struct parts;
    std::shared_ptr<const parts> parts_;
};

} // namespace kubecoro::testing
