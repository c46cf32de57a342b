#include <kubecoro/manager/cluster_provider.hpp>

#include <kubecoro/base/latch.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {

/// The clusters of the program, and the sink once it runs.
class detail::manual_offers
{
public:
    void add(cluster_offer cluster)
    {
        std::lock_guard lock(mutex_); // also while the sink is called: it hears everything in order
        if (sink_) sink_->offer(cluster);
        auto name = cluster.name;
        offers_.insert_or_assign(std::move(name), std::move(cluster));
    }
    void remove(std::string_view name)
    {
        std::lock_guard lock(mutex_);
        if (const auto at = offers_.find(name); at != offers_.end()) offers_.erase(at);
        if (sink_) sink_->withdraw(name);
    }
    /// @return whether no other sink follows.
    [[nodiscard]] bool follow(cluster_sink sink)
    {
        std::lock_guard lock(mutex_);
        if (sink_) return false;
        sink_ = std::move(sink);
        for (const auto& [name, offer] : offers_) sink_->offer(offer);
        return true;
    }
    void leave()
    {
        std::lock_guard lock(mutex_);
        sink_.reset();
    }

private:
    std::mutex mutex_;
    std::map<std::string, cluster_offer, std::less<>> offers_;
    std::optional<cluster_sink> sink_;
};

namespace {

/// Lets another manager follow when this one has stopped.
struct following
{
    detail::manual_offers& offers;
    ~following() { offers.leave(); }
};

} // namespace

manual_clusters::manual_clusters() : offers_(std::make_shared<detail::manual_offers>()) {}
manual_clusters::~manual_clusters() = default;

void manual_clusters::add(std::string name, client connection)
{
    static std::atomic<std::uint64_t> number{0};
    cluster_offer offer{.name = std::move(name), .revision = std::to_string(++number)};
    offer.connect = [connection = std::move(connection)](asio::any_io_executor, client_options) -> result<client> {
        return connection;
    };
    add(std::move(offer));
}
void manual_clusters::add(cluster_offer cluster) { offers_->add(std::move(cluster)); }
void manual_clusters::remove(std::string_view name) { offers_->remove(name); }

void manual_clusters::attach(manager&) {}

asio::awaitable<result<>> manual_clusters::run(cluster_sink sink)
{
    const auto offers = offers_;
    if (!offers->follow(std::move(sink)))
        co_return failure(cond::misconfigured, "manual_clusters serve one manager at a time: give each its own");
    const following until_the_end{*offers};
    latch never;
    co_return co_await never.wait();
}

} // namespace kubecoro
