#include "world/replica.hpp"

#include <utility>

namespace kubecoro::testing::detail {
namespace {

constexpr auto seldom = std::chrono::hours{24};

/// The operator's lines go to the journal, until it has ended.
logger log_of(journal& notes, std::shared_ptr<bool> heard)
{
    return logger(
        [&notes, heard = std::move(heard)](const log_record& line) {
            if (*heard) notes.log(format(line));
        },
        log_level::info);
}

} // namespace

client client_on(runner& run, std::shared_ptr<transport> over, logger log, const std::string& name)
{
    client_options how;
    how.time = run.shared_clock();
    how.log = std::move(log);
    how.seed = 1;
    how.user_agent = name;
    return client(run.executor(), std::move(over), std::move(how));
}

replica::replica(const replica_options& options, std::shared_ptr<virtual_clock> clock, std::shared_ptr<wire> connection,
                 std::uint64_t seed, duration resync, const std::string& identity, journal& notes)
    : options_(&options),
      notes_(&notes),
      heard_(std::make_shared<bool>(true)),
      run_(seed, ready_order::shuffled, std::move(clock)),
      connection_(std::move(connection)),
      application_(client_on(run_, connection_->make_transport(true), logger::silent(), options.name))
{
    auto how = options.managing;
    how.name = options.name;
    how.seed = seed;
    how.time = run_.shared_clock();
    how.log = log_of(notes, heard_);
    how.check_access = false; // the check looks at the requests themselves
    how.informers.metrics_period = seldom;
    how.informers.resync = resync;
    if (identity.empty()) how.leader_election = {};
    how.leader_election.identity = identity;
    how.leader_election.seed = {};
    m_.emplace(client_on(run_, connection_->make_transport(false), *how.log, options.name), std::move(how));
}

replica::~replica()
{
    *heard_ = false;
    connection_->sever();
    run_.destroy_coroutines();
    m_.reset();
}

result<> replica::start()
{
    if (auto filled = (*options_->add)(*m_, application_); !filled) return filled;
    m_->start();
    return {};
}

std::optional<std::string> replica::end() const
{
    if (!m_ || m_->phase() != manager_phase::stopped) return std::nullopt;
    const auto why = m_->stats().ended_by;
    return why ? why->describe() : "without a reason";
}

std::uint64_t replica::failed() const
{
    std::uint64_t out = 0;
    for (const auto& c : m_->controllers()) out += c.failed;
    return out;
}

std::uint64_t replica::threw() const
{
    std::uint64_t out = 0;
    for (const auto& c : m_->controllers()) out += c.threw;
    return out;
}

} // namespace kubecoro::testing::detail
