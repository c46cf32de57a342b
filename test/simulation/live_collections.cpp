#include "live_collections.hpp"

#include "operations.hpp"

#include <stdexcept>
#include <utility>

namespace kubecoro::simulation {

namespace asio = boost::asio;

namespace {

std::string seen(const object& o) { return o ? std::string(o.uid()) + "@" + std::string(o.resource_version()) : "-"; }

object found(const std::map<object_key, object>& all, const object_key& key)
{
    const auto at = all.find(key);
    return at == all.end() ? object() : at->second;
}

std::string app_of(const object& o)
{
    const auto app = o.labels()["app"].as_string();
    return app.empty() ? "none" : std::string(app);
}

bool is_whole(const std::string& text) { return text.find(" -") == std::string::npos; }

} // namespace

live_collections::live_collections(collection_input pods, collection_input maps, collection_input widgets,
                                   testing::runner& runner, journal& notes, std::uint64_t seed)
    : pods_(std::move(pods)),
      maps_(std::move(maps)),
      widgets_(std::move(widgets)),
      notes_(&notes),
      random_(seed),
      live_(runner.executor(), {.time = runner.shared_clock()})
{
    const auto twins = derive<row>(
        live_, pods_.informer, [maps = maps_.informer, widgets = widgets_.informer](const object& pod, auto& look) {
            return row{to_string(pod.key()), seen(pod) + " " + seen(look.by_key(maps, pod.key())) + " " +
                                                 seen(look.by_key(widgets, pod.key()))};
        });
    const auto joined = [this] {
        rows out;
        const auto maps = maps_.real(), widgets = widgets_.real();
        for (const auto& [key, pod] : pods_.real())
            out.emplace(to_string(key), seen(pod) + " " + seen(found(maps, key)) + " " + seen(found(widgets, key)));
        return out;
    };
    read("twins", twins, joined);
    read("whole twins", filter(live_, twins, [](const row& r) { return is_whole(r.text); }), [joined] {
        auto out = joined();
        std::erase_if(out, [](const auto& r) { return !is_whole(r.second); });
        return out;
    });
    read("apps",
         group_by<row>(live_, pods_.informer, app_of,
                       [](const std::string& app, const std::vector<object>& members) {
                           row out{app, {}};
                           for (const auto& pod : members) out.text += to_string(pod.key()) + " " + seen(pod) + "\n";
                           return out;
                       }),
         [this] {
             rows out;
             for (const auto& [key, pod] : pods_.real()) out[app_of(pod)] += to_string(key) + " " + seen(pod) + "\n";
             return out;
         });
}

void live_collections::read(const char* name, collection<row> of, std::function<rows()> naive)
{
    auto& r = readers_.emplace(name, reader{std::move(of), std::move(naive)}).first->second;
    r.of.add_event_handler([this, name, &told = r.told](const collection_change<row>& c) {
        hear(name, told, c);
        if (one_in(random_, 20)) throw std::runtime_error("simulated");
    });
}

void live_collections::hear(const char* name, rows& told, const collection_change<row>& c)
{
    ++changes_;
    notes_->note(name, c.key + (c.deleted() ? " is gone" : ": " + c.after->text));
    const auto at = told.find(c.key);
    const bool continues = c.before ? at != told.end() && at->second == c.before->text : at == told.end();
    if (!continues) notes_->broken(name, "a change of " + c.key + " does not follow the one before it");
    if (c.before && c.after && *c.before == *c.after) notes_->broken(name, c.key + " changes to what it was");
    if (c.deleted())
        told.erase(c.key);
    else
        told.insert_or_assign(c.key, c.after->text);
}

std::string live_collections::unsettled() const
{
    for (const auto& [name, r] : readers_) {
        const auto wanted = r.naive();
        rows now;
        for (const auto& e : r.of.list()) now.emplace(e->key, e->text);
        if (now != wanted) return name + " are not what follows from the server's objects";
        if (r.told != wanted) return "the reader of " + name + " was told of another state";
        if (!r.of.stale().empty()) return name + " are stale";
    }
    return {};
}

} // namespace kubecoro::simulation
