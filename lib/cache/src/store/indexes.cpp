// The store's user indexes. Their functions are user code and run without any lock.

#include "store/store.hpp"

#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>
#include <bit>
#include <exception>
#include <limits>
#include <memory>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Rounds without progress after which add_index() fails because objects change faster than the function indexes them.
constexpr std::size_t patience = 64;

} // namespace

void store::index_construction::note(const object& before, const object& now)
{
    if (all) return;
    // The new handle replaces the old one: a key must not keep an old object alive.
    if (before) changed.erase(before);
    changed.emplace(now ? now : before, static_cast<bool>(now));
}

result<> store::add_index(std::string name, index_function f)
{
    index_construction mine{.name = name};
    {
        const std::lock_guard writing(writer_);
        const auto is_named = [&name](const auto& i) { return i->name == name; };
        if (std::any_of(user_indexes_->begin(), user_indexes_->end(), is_named) ||
            std::any_of(coming_.begin(), coming_.end(), is_named))
            return failure(cond::already_exists, "an index named '" + name + "' already exists");
        coming_.push_back(&mine);
    }
    const struct reservation
    {
        store& of;
        index_construction& mine;
        ~reservation()
        {
            const std::lock_guard writing(of.writer_);
            std::erase(of.coming_, &mine);
        }
    } reserved{*this, mine};
    const auto index = std::make_shared<const user_index>(name, std::move(f));

    // Each round indexes the objects that changed during the previous one.
    secondary_index built(name);
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (std::size_t stalled = 0; stalled < patience; ++stalled) {
        index_construction changes{.name = {}, .all = false};
        {
            const std::lock_guard writing(writer_);
            changes.all = std::exchange(mine.all, false);
            changes.changed.swap(mine.changed);
            const auto missing = changes.all ? tables_->size() : changes.changed.size();
            if (missing == 0) {
                install(index, std::move(built));
                return {};
            }
            if (missing < fewest) stalled = 0;
            fewest = std::min(fewest, missing);
        }
        build(*index, changes, built);
    }
    return failure(cond::timed_out, "the objects change faster than index '" + name + "' can be built");
}

void store::build(const user_index& index, index_construction& changes, secondary_index& built) const
{
    if (changes.all) {
        built = secondary_index(index.name);
        visit({}, [&](const object& o) { built.put(kept_object(o), call_index(index, o)); });
        return;
    }
    for (const auto& [o, stays] : changes.changed)
        if (stays)
            built.put(o, call_index(index, o.get()));
        else
            built.erase(o.key());
}

void store::install(const std::shared_ptr<const user_index>& index, secondary_index built)
{
    KUBECORO_EXPECT(writer_.held_here());
    auto all = std::make_shared<index_list>(*user_indexes_);
    all->push_back(index);
    const std::unique_lock lock(mutex_);
    tables_->add_index(std::move(built));
    user_indexes_ = std::move(all);
    ++shape_;
}

void store::call_indexes(std::unique_lock<checked_mutex>& writing, std::span<indexed> all) const
{
    for (std::size_t known = 0; known < user_indexes_->size();) {
        const auto now = user_indexes_;
        writing.unlock();
        for (auto& each : all)
            if (each.obj)
                for (std::size_t i = known; i < now->size(); ++i)
                    each.values.push_back(call_index(*(*now)[i], *each.obj));
        known = now->size();
        writing.lock();
    }
}

std::optional<std::vector<std::string>> store::values_in(std::string_view index, const object& o) const
{
    const auto all = current_indexes();
    for (const auto& i : *all)
        if (i->name == index) return call_index(*i, o);
    return std::nullopt;
}

std::vector<std::string> store::call_index(const user_index& index, const object& o) const
{
    std::vector<std::string> out;
    std::string why;
    try {
        const std::lock_guard calling(index.calling);
        index.call(o, index_sink(out));
        return out;
    } catch (const std::exception& e) {
        why = e.what();
    } catch (...) {
        why = "an exception that is not a std::exception";
    }
    const auto failures = ++index_failures_;
    // Anyone who may write objects may cause them, so that their lines become rare.
    if (std::has_single_bit(failures))
        log_.warning("an index function threw; the object is left out of the index",
                     {{"index", index.name}, {"object", to_string(o.key())}, {"what", why}, {"failures", failures}});
    return {};
}

} // namespace kubecoro::detail
