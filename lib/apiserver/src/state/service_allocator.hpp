// Allocates the cluster IPs and node ports of services.
#pragma once

#include "state/resource_store.hpp"

#include <kubecoro/apiserver/detail/status_error.hpp>
#include <kubecoro/base/detail/random.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <map>
#include <optional>

namespace kubecoro::apiserver {

/** The numbers of a range that are in use, with their users counted.

    The lower numbers are kept for those who ask for them, as in Kubernetes: others get them only when the upper ones have
    run out. */
class number_range
{
public:
    /// @param first  The first number. @param last  The last one. @param kept  How many of the first ones are kept.
    number_range(std::uint32_t first, std::uint32_t last, std::uint32_t kept) noexcept
        : first_(first), last_(last), kept_(kept)
    {
    }

    [[nodiscard]] bool contains(std::int64_t number) const noexcept { return number >= first_ && number <= last_; }
    [[nodiscard]] bool is_used(std::uint32_t number) const { return used_.contains(number); }
    /// Numbers outside of the range are ignored.
    void use(std::int64_t number);
    void free(std::int64_t number);
    void clear() noexcept { used_.clear(); }
    /// A number that is free: the next one from a random one. Empty if there is none.
    [[nodiscard]] std::optional<std::uint32_t> pick(detail::random_source& random) const;

private:
    [[nodiscard]] std::optional<std::uint32_t> next_free(std::uint32_t from, std::uint32_t last) const;

    std::uint32_t first_;
    std::uint32_t last_;
    std::uint32_t kept_;
    std::map<std::uint32_t, std::uint32_t> used_;
};

/** Knows which addresses and ports the stored services have, and gives others to new ones.

    Nothing is reserved: a service has what it is stored with. */
class service_allocator
{
public:
    /// Call this before a service is stored or removed. Until note() completes the change, for which memory may run out,
    /// all services are read again when they are needed.
    void begin() noexcept
    {
        was_current_ = is_current_;
        is_current_ = false;
    }
    /// A service was stored, changed or removed; null where there is none.
    void note(const stored_object* before, const stored_object* after);

    /** Settles a service (settle_service()), gives it the cluster IP and the ports that it needs and does not state, and
        checks those that it states.

        @param services  The stored services. @param before  The stored state of the service; null for a new one.
        @param service  With its defaults. Invalid parts stay as they are, for validate_service().
        @param keep  A manifest from another cluster: it keeps a cluster IP of that cluster.
        @return 422 for what others have, or is out of range; 500 if the range is full. */
    [[nodiscard]] std::optional<status_error> assign(const resource_store& services, const boost::json::value* before,
                                                     boost::json::value& service, bool keep,
                                                     detail::random_source& random);

private:
    void read_all(const resource_store& services);
    void count(const boost::json::value& service, bool is_used);
    [[nodiscard]] std::optional<status_error> assign_address(const resource_info& info,
                                                             const boost::json::value* before,
                                                             boost::json::value& service, bool keep,
                                                             detail::random_source& random) const;

    /// 10.96.0.1 to 10.111.255.254.
    number_range addresses_{0x0a60'0001, 0x0a6f'fffe, 256};
    /// The lower ones as in Kubernetes: a thirty-second of the range.
    number_range ports_{30'000, 32'767, 86};
    bool is_current_ = false;
    bool was_current_ = false;
};

/// The store of the services, with what they use.
class service_store final : public resource_store
{
public:
    using resource_store::resource_store;

    service_allocator allocator;
};

/// @return null for the store of another resource.
[[nodiscard]] inline service_allocator* allocator_of(resource_store& store) noexcept
{
    if (store.info.behaves != builtin::service) return nullptr;
    return &static_cast<service_store&>(store).allocator;
}

} // namespace kubecoro::apiserver
