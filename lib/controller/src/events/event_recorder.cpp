// The handle event_recorder.
#include "events/event_recorder_engine.hpp"

#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
using detail::event_recorder_engine;

event_target::event_target(const object& o)
    : api_version(o.api_version()),
      kind(o.kind()),
      ns(o.ns()),
      name(o.name()),
      uid(o.uid()),
      resource_version(o.resource_version())
{
}

event_recorder::event_recorder(client cluster, event_recorder_options options)
{
    const auto engine = std::make_shared<event_recorder_engine>(std::move(cluster), std::move(options));
    // The copies share this pointer, the coroutines the other: when the last copy goes, they end.
    engine_ = std::shared_ptr<event_recorder_engine>(engine.get(),
                                                     [engine](void*) { event_recorder_engine::abandon(engine); });
    engine->start();
}

void event_recorder::event(const event_target& regarding, event_type type, std::string_view reason,
                           std::string_view action, std::string_view note, const event_target& related) const noexcept
{
    engine_->record(regarding, type, reason, action, note, related);
}

asio::awaitable<result<>> event_recorder::stop() const { return event_recorder_engine::stop(engine_); }
void event_recorder::request_stop() const { engine_->request_stop(); }
event_recorder_stats event_recorder::stats() const { return engine_->stats(); }

std::string describe(const event_recorder_stats& s)
{
    const std::uint64_t dropped =
        s.dropped_spam + s.dropped_full + s.dropped_refused + s.dropped_failed + s.dropped_stopped;
    return "events: " + std::to_string(s.recorded) + " recorded, " + std::to_string(s.repeated) + " repeated, " +
           std::to_string(s.created) + " created, " + std::to_string(s.updated) + " updated, " +
           std::to_string(dropped) + " dropped, " + std::to_string(s.pending) + " pending, " +
           std::to_string(s.recent) + " recent (" + std::to_string(s.bytes) + " bytes)";
}

} // namespace kubecoro
