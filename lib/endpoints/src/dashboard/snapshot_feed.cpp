#include "dashboard/snapshot_feed.hpp"

#include <algorithm>

namespace kubecoro::detail {
namespace {

/// A page beyond it, together with those before it, is replaced by a note.
constexpr std::size_t largest_snapshot = 4 * 1024 * 1024;

/// @param name  Has no line ends: see debug_pages::add().
void append_event(std::string& out, std::string_view name, std::string json)
{
    if (json.size() > largest_snapshot - std::min(largest_snapshot, out.size()))
        json = R"({"error":"the page is too large for the dashboard"})";
    // Outside of texts line ends are white space in JSON, and within texts there are none.
    std::replace_if(
        json.begin(), json.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    out += "event: ";
    out += name;
    out += "\ndata: " + json + "\n\n";
}

/// Readers of events ignore it.
const std::shared_ptr<const std::string>& comment()
{
    static const auto text = std::make_shared<const std::string>(":\n\n");
    return text;
}

} // namespace

std::string snapshot_feed::render() const
{
    std::string out;
    for (const std::string& name : pages_.names())
        if (auto page = pages_.json(name)) append_event(out, name, std::move(*page));
    // Tells the reader that the snapshot is complete. No page has this name.
    return out + "event: SNAPSHOT\ndata: " + std::to_string(core_.number() + 1) + "\n\n";
}

std::shared_ptr<snapshot_feed::seat> snapshot_feed::join()
{
    core_.on_join();
    return std::make_shared<seat>(shared_from_this());
}

snapshot_feed::seat::~seat()
{
    if (feed_->core_.on_leave()) feed_->newest_.reset();
}

std::variant<std::shared_ptr<const std::string>, time_point> snapshot_feed::seat::next(time_point now)
{
    auto& feed = *feed_;
    auto step = feed.newest_ ? feed.core_.next(sent_, now) : snapshot_core::step::make;
    if (step == snapshot_core::step::make) {
        const time_point begin = feed.time_->now();
        feed.newest_ = std::make_shared<const std::string>(feed.render());
        feed.core_.on_made(now, feed.time_->now() - begin);
        step = snapshot_core::step::send;
    }
    if (step == snapshot_core::step::wait) return feed.core_.due(sent_);
    sent_.at = now;
    if (step == snapshot_core::step::comment) return comment();
    sent_.seen = feed.core_.number();
    return feed.newest_;
}

} // namespace kubecoro::detail
