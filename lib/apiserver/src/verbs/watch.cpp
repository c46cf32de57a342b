// Opens watches: determines the initial events, the start in the history, and the end.
#include "verbs/exchange.hpp"

#include "objects/status_errors.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace kubecoro::apiserver {
namespace {

using line = std::shared_ptr<const std::string>;

class open_stream final : public watch_body
{
public:
    open_stream(watch_request request, wall_time now)
        : request_(std::move(request)),
          name_(request_.store->info.display_name()),
          ends_(now + request_.lifetime),
          next_bookmark_(now + request_.bookmark_interval),
          seen_version_(request_.store->cluster_version()),
          selectable_revision_(request_.store->info.selectable_revision),
          range_(key_range(request_.ns))
    {
        // The last bookmark is sent shortly before the end, so that the next watch resumes close to it.
        if (request_.lifetime > std::chrono::seconds{2})
            next_bookmark_ = std::min(next_bookmark_, ends_ - std::chrono::seconds{2});
    }

    void start_with_objects(bool bookmark)
    {
        const auto& all = request_.store->objects();
        for (auto it = all.lower_bound(range_.first); it != all.end() && it->first < range_.second; ++it)
            if (is_selected_shown() || matches(*it->second)) initial_.push_back(it->second);
        initial_bookmark_ = bookmark;
        sequence_ = request_.store->end_sequence();
    }
    /// @param ignore_until  Changes up to this version are not sent: the client asked for later ones.
    void start_at(std::uint64_t sequence, std::uint64_t ignore_until)
    {
        sequence_ = sequence;
        ignore_until_ = ignore_until;
    }
    void fail(status_error e, wall_time when)
    {
        error_ = std::move(e);
        error_at_ = when;
    }

    watch_output next(wall_time now, std::size_t max_bytes) override;
    std::optional<wall_time> wake_at() const override
    {
        if (ended_) return {};
        if (error_) return error_at_;
        return request_.query.bookmarks ? std::min(next_bookmark_, ends_) : ends_;
    }
    std::string_view resource() const noexcept override { return name_; }

private:
    struct batch
    {
        watch_output out;
        std::size_t bytes = 0;
        void add(line l)
        {
            bytes += l->size();
            out.lines.push_back(std::move(l));
        }
    };
    void send_initial(batch& b, std::size_t max_bytes, wall_time now);
    void send_changes(batch& b, std::size_t max_bytes, wall_time now);
    void send_bookmark(batch& b, wall_time now);
    line change_line(std::uint64_t sequence, wall_time now);
    line plain_line(std::uint64_t sequence, wall_time now);
    /// @param object  Called if the event has to be rendered.
    template<typename F>
    line other_line(std::uint64_t sequence, std::string_view type, wall_time now, const F& object);
    [[nodiscard]] std::string form_name(std::string_view type, wall_time now) const;
    /// @return null if the object cannot be shown: hindrance_ says why.
    line rendered(std::string_view type, const stored& object, wall_time now)
    {
        const auto& info = request_.store->info;
        const auto shown = versions().shown(info, object, request_.form.version);
        if (!shown) {
            hindrance_ = shown.error();
            return nullptr;
        }
        auto text = std::make_shared<const std::string>(render_event(info, type, *shown, request_.form, columns_, now));
        columns_ = false;
        return text;
    }
    /// Converted objects are remembered for one change, or for some initial objects.
    void forget_conversions() const
    {
        if (request_.conversions) request_.conversions->forget();
    }
    [[nodiscard]] version_converter versions() const { return version_converter(request_.conversions.get()); }
    /// Brings the next initial objects into the version of the watch. @return false: hindrance_ says why not.
    [[nodiscard]] bool prepare_initial();
    void note_hindrance(watch_output& out, wall_time now);
    /// Whether the watch selects objects in its version, into which a webhook brings them.
    [[nodiscard]] bool is_selected_shown() const
    {
        return request_.conversions && request_.store->info.conversion && !request_.selected.everything();
    }
    [[nodiscard]] bool matches(const stored_object& object) const
    {
        return request_.selected.matches(request_.store->info, object);
    }
    /// Whether a change's states before and after it are selected. Nothing if a webhook has to be asked, or has failed.
    [[nodiscard]] std::optional<std::pair<bool, bool>> judge(const change& c);

    watch_request request_;
    std::string name_;
    wall_time ends_;
    wall_time next_bookmark_;
    /// The newest version sent to the client; initially the version at the start.
    std::uint64_t seen_version_;
    std::uint64_t selectable_revision_;
    std::pair<std::string, std::string> range_;
    std::vector<stored> initial_;
    std::size_t initial_sent_ = 0;
    /// The initial objects before this one are in the version of the watch.
    std::size_t prepared_ = 0;
    bool initial_bookmark_ = false;
    std::uint64_t sequence_ = 0;
    std::uint64_t ignore_until_ = 0;
    std::optional<status_error> error_;
    wall_time error_at_{};
    /// Why the next object could not be shown; a code of 0: a webhook has to be asked.
    std::optional<status_error> hindrance_;
    bool columns_ = true;
    bool ended_ = false;
};

watch_output open_stream::next(wall_time now, std::size_t max_bytes)
{
    batch b;
    if (ended_) {
        b.out.ended = true;
        return std::move(b.out);
    }
    if (request_.selected.uses_fields() && request_.store->info.selectable_revision != selectable_revision_) {
        // Its selector may no longer be supported, and what it has sent depends on the former fields.
        ended_ = b.out.ended = true;
        return std::move(b.out);
    }
    if (error_) {
        if (now < error_at_) return std::move(b.out);
        b.add(std::make_shared<const std::string>(render_error_event(status_text(*error_), request_.form.form)));
        ended_ = b.out.ended = true;
        return std::move(b.out);
    }
    send_initial(b, max_bytes, now);
    const auto& store = *request_.store;
    const bool is_late = sequence_ < store.first_sequence();
    if (!hindrance_ && !is_late && initial_sent_ == initial_.size()) send_changes(b, max_bytes, now);
    if (hindrance_) {
        note_hindrance(b.out, now);
        return std::move(b.out);
    }
    if (is_late) {
        // The client is too slow for the history: ending the watch makes it resume and get 410.
        b.out.more = initial_sent_ < initial_.size();
        if (!b.out.more) ended_ = b.out.ended = true;
        return std::move(b.out);
    }
    b.out.more = initial_sent_ < initial_.size() || sequence_ < store.end_sequence();
    if (b.out.more) return std::move(b.out);
    if (request_.query.bookmarks && now >= next_bookmark_) send_bookmark(b, now);
    if (now >= ends_ || store.closed()) ended_ = b.out.ended = true;
    return std::move(b.out);
}

bool open_stream::prepare_initial()
{
    constexpr std::size_t most_at_once = 500;
    if (!request_.conversions || initial_sent_ < prepared_) return true;
    const auto next =
        std::span(initial_).subspan(initial_sent_, std::min(most_at_once, initial_.size() - initial_sent_));
    const auto shown = versions().shown(request_.store->info, next, request_.form.version);
    if (!shown) {
        hindrance_ = shown.error();
        return false;
    }
    std::ranges::copy(*shown, next.begin());
    prepared_ = initial_sent_ + next.size();
    forget_conversions();
    for (auto& each : next)
        if (!matches(*each)) each = nullptr;
    return true;
}

std::optional<std::pair<bool, bool>> open_stream::judge(const change& c)
{
    if (c.object->key < range_.first || c.object->key >= range_.second) return std::pair(false, false);
    if (!is_selected_shown()) return std::pair(c.before && matches(*c.before), matches(*c.object));
    std::vector<stored> states{c.object};
    if (c.before) states.push_back(c.before);
    const auto shown = versions().shown(request_.store->info, states, request_.form.version);
    if (!shown) {
        hindrance_ = shown.error();
        return {};
    }
    return std::pair(c.before && matches(*shown->back()), matches(*shown->front()));
}

void open_stream::note_hindrance(watch_output& out, wall_time now)
{
    const auto why = *std::exchange(hindrance_, {});
    const bool waits = why.code == 0;
    if (!waits) fail(why, now);
    if (waits && out.lines.empty())
        out.conversions = request_.conversions;
    else
        out.more = true;
}

void open_stream::send_initial(batch& b, std::size_t max_bytes, wall_time now)
{
    while (initial_sent_ < initial_.size() && (b.bytes == 0 || b.bytes < max_bytes)) {
        if (!prepare_initial()) return;
        if (const auto& object = initial_[initial_sent_]) {
            auto next = rendered("ADDED", object, now);
            if (!next) return;
            b.add(std::move(next));
        }
        ++initial_sent_;
    }
    if (initial_sent_ < initial_.size()) return;
    initial_ = {};
    initial_sent_ = prepared_ = 0;
    if (!initial_bookmark_) return;
    initial_bookmark_ = false;
    b.add(std::make_shared<const std::string>(
        render_bookmark(request_.store->info, seen_version_, true, request_.form, columns_)));
    columns_ = false;
}

void open_stream::send_changes(batch& b, std::size_t max_bytes, wall_time now)
{
    const auto& store = *request_.store;
    for (; sequence_ < store.end_sequence() && (b.bytes == 0 || b.bytes < max_bytes); ++sequence_) {
        const auto& c = store.at(sequence_);
        if (c.version <= ignore_until_) continue;
        auto l = change_line(sequence_, now);
        if (hindrance_) return;
        forget_conversions();
        if (!l) continue;
        b.add(std::move(l));
        seen_version_ = c.version;
    }
}

line open_stream::change_line(std::uint64_t sequence, wall_time now)
{
    const auto& c = request_.store->at(sequence);
    const auto judged = judge(c);
    if (!judged) return nullptr;
    const auto [before, after] = *judged;
    if (c.type == change_type::deleted) return before ? plain_line(sequence, now) : nullptr;
    if (before && after) return plain_line(sequence, now);
    if (after && c.type == change_type::added) return plain_line(sequence, now);
    if (after) return other_line(sequence, "ADDED", now, [&] { return c.object; });
    // The object no longer matches: send its last matching state, at the version of the change.
    if (before) return other_line(sequence, "DELETED", now, [&] { return with_version(c.before, c.version); });
    return nullptr;
}

line open_stream::plain_line(std::uint64_t sequence, wall_time now)
{
    const auto& c = request_.store->at(sequence);
    const std::string_view type = c.type == change_type::added      ? "ADDED"
                                  : c.type == change_type::modified ? "MODIFIED"
                                                                    : "DELETED";
    const auto& info = request_.store->info;
    const bool shared = request_.form.as == representation::json && request_.form.version == info.storage_version &&
                        !versions().converts(info, *c.object, info.storage_version);
    if (!shared) return other_line(sequence, type, now, [&] { return c.object; });
    auto& kept = request_.form.form == answer_form::json ? c.line : c.frame;
    if (kept) return kept;
    auto made = rendered(type, c.object, now);
    // Small JSON can have a large frame, which the history does not account for.
    if (made->size() <= 2 * c.object->text.size() + 256) kept = made;
    return made;
}

template<typename F>
line open_stream::other_line(std::uint64_t sequence, std::string_view type, wall_time now, const F& object)
{
    auto& shared = request_.store->rendered();
    auto form = form_name(type, now);
    auto made = shared.find(sequence, form);
    if (!made) {
        made = rendered(type, object(), now);
        if (!made) return nullptr;
        shared.keep(sequence, std::move(form), made);
    }
    columns_ = false;
    return made;
}

/// Names all that an event's text depends on besides the change.
std::string open_stream::form_name(std::string_view type, wall_time now) const
{
    const auto& r = request_.form;
    auto out = std::string(type) + (r.form == answer_form::json ? " json " : " protobuf ") + r.version;
    if (r.as == representation::json) return out;
    if (r.as != representation::table) return out + " partial";
    // Ages are in seconds.
    const auto second = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
    return out + " table " + r.table_version + (columns_ ? " columns " : " ") + std::to_string(second) + ' ' +
           r.include_object; // last, as it is any text
}

void open_stream::send_bookmark(batch& b, wall_time now)
{
    const auto& store = *request_.store;
    if (const auto version = store.cluster_version(); version > seen_version_ && version > ignore_until_) {
        b.add(
            std::make_shared<const std::string>(render_bookmark(store.info, version, false, request_.form, columns_)));
        columns_ = false;
        seen_version_ = version;
    }
    const auto last = ends_ - std::chrono::seconds{2};
    next_bookmark_ = now + request_.bookmark_interval;
    if (now < last) next_bookmark_ = std::min(next_bookmark_, last);
}

} // namespace

answer<std::unique_ptr<watch_body>> open_watch(watch_request request, wall_time now)
{
    const auto& q = request.query;
    std::uint64_t version = 0;
    if (!q.version.empty()) {
        const auto parsed = parse_version(q.version);
        if (!parsed) return errors::internal(parsed.error());
        version = *parsed;
    }
    const auto store = request.store;
    const auto current = store->cluster_version();
    const bool bookmarks = q.bookmarks;
    const auto initial = q.send_initial_events.value_or(version == 0);
    auto stream = std::make_unique<open_stream>(std::move(request), now);
    if (initial && version > current)
        stream->fail(errors::future_version(version, current), now + std::chrono::seconds{3});
    else if (initial)
        stream->start_with_objects(bookmarks);
    else if (version == 0 || version > current)
        stream->start_at(store->end_sequence(), version);
    else if (version < store->floor())
        stream->fail(errors::expired("too old resource version: " + std::to_string(version) + " (" +
                                     std::to_string(store->floor()) + ")"),
                     now);
    else
        stream->start_at(store->sequence_after(version), version);
    return std::unique_ptr<watch_body>(std::move(stream));
}

} // namespace kubecoro::apiserver
