// The store's user indexes. Their functions are user code and run without any lock.

#include "store/store.hpp"

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

result<> store::add_index(std::string name, index_function f)
{
    std::unique_lock writing(writer_);
    const auto is_named = [&name](const auto& i) { return i->name == name; };
    if (std::any_of(user_indexes_->begin(), user_indexes_->end(), is_named) ||
        std::find(coming_.begin(), coming_.end(), name) != coming_.end())
        return failure(cond::already_exists, "an index named '" + name + "' already exists");
    coming_.push_back(name);
    struct reservation
    {
        store& of;
        std::unique_lock<std::mutex>& writing;
        const std::string& name;
        ~reservation()
        {
            if (!writing.owns_lock()) writing.lock();
            std::erase(of.coming_, name);
        }
    };
    const reservation mine{*this, writing, name};
    const auto index = std::make_shared<const user_index>(user_index{name, std::move(f)});

    // Each round indexes the objects that changed during the previous one.
    value_table values;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (std::size_t stalled = 0; stalled < patience; ++stalled) {
        const auto missing = lacking(values);
        if (missing.empty()) {
            install(index, std::move(values));
            return {};
        }
        if (missing.size() < fewest) stalled = 0;
        fewest = std::min(fewest, missing.size());
        writing.unlock();
        for (const auto& o : missing) {
            auto found = call_index(*index, o.get());
            // Replace the handle together with the values: a handle of the old version would keep that version alive.
            if (const auto old = values.find(o); old != values.end()) values.erase(old);
            values.emplace(o, std::move(found));
        }
        writing.lock();
    }
    return failure(cond::timed_out, "the objects change faster than index '" + name + "' can be built");
}

std::vector<kept_object> store::lacking(const value_table& values) const
{
    std::vector<kept_object> out;
    tables_->each([&](const kept_object& o) {
        const auto at = values.find(o);
        const bool there = at != values.end() && (at->first == o || same_version(at->first.get(), o.get()));
        if (!there) out.push_back(o);
    });
    return out;
}

void store::install(const std::shared_ptr<const user_index>& index, value_table values)
{
    std::vector<kept_object> objects;
    std::vector<std::vector<std::string>> of_objects;
    objects.reserve(tables_->size());
    of_objects.reserve(tables_->size());
    tables_->each([&](const kept_object& o) {
        objects.push_back(o);
        of_objects.push_back(std::move(values.find(o)->second));
    });
    auto next = std::make_unique<store_tables>(*tables_);
    next->add_index(index->name, objects, std::move(of_objects));
    auto all = std::make_shared<index_list>(*user_indexes_);
    all->push_back(index);
    user_indexes_ = std::move(all);
    std::unique_lock lock(mutex_);
    tables_.swap(next);
}

void store::call_indexes(std::unique_lock<std::mutex>& writing, std::span<indexed> all) const
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

std::vector<std::string> store::call_index(const user_index& index, const object& o) const
{
    std::vector<std::string> out;
    std::string why;
    try {
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
