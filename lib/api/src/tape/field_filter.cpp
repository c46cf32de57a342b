#include "tape/field_filter.hpp"

#include "tape/tape_format.hpp"

#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace kubecoro::detail {

namespace {

// The fields that identify an object.
constexpr std::array<std::string_view, 6> always_kept{"apiVersion",         "kind",         "metadata.name",
                                                      "metadata.namespace", "metadata.uid", "metadata.resourceVersion"};

failure unreadable(std::string_view path, std::string_view why)
{
    return failure(cond::invalid, "the field path '" + std::string(path) + "' is invalid: " + std::string(why));
}

/// Removes `"text"]` from the front and returns the text, with \" and \\ unescaped. Nothing for any other input.
std::optional<std::string> take_quoted(std::string_view& rest)
{
    if (!rest.starts_with('"')) return {};
    std::string text;
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] == '"') {
            if (!rest.substr(i + 1).starts_with(']')) return {};
            rest.remove_prefix(i + 2);
            return text;
        }
        if (rest[i] == '\\' && ++i == rest.size()) break;
        text += rest[i];
    }
    return {};
}

} // namespace

result<std::vector<field_filter::step>> field_filter::parse(std::string_view path)
{
    std::vector<step> steps;
    std::string_view rest = path;
    while (!rest.empty()) {
        if (rest.front() == '[') {
            rest.remove_prefix(1);
            auto name = take_quoted(rest);
            if (!name) return unreadable(path, "expected [\"key\"]");
            steps.push_back({std::move(*name), false});
            continue;
        }
        if (!steps.empty()) {
            if (rest.front() != '.') return unreadable(path, "expected '.' or '['");
            rest.remove_prefix(1);
        }
        const auto end = std::min(rest.find_first_of(".[]\""), rest.size());
        if (end == 0) return unreadable(path, "a step is empty");
        const std::string_view name = rest.substr(0, end);
        steps.push_back({std::string(name), name == "*"});
        rest.remove_prefix(end);
    }
    if (steps.empty()) return unreadable(path, "the path is empty");
    if (steps.size() > deepest) return unreadable(path, "the path is too long");
    return steps;
}

result<field_filter> field_filter::compile(const decode_options& options)
{
    field_filter made;
    const auto& [keep_paths, drop_paths] = options.prune;
    if (keep_paths.empty() && drop_paths.empty() && !options.drop_managed_fields) return made;
    made.keeps_by_default_ = keep_paths.empty();
    made.nodes_.emplace_back();
    for (const auto path : always_kept) made.add(*parse(path), always);
    if (options.drop_managed_fields) {
        made.add({{"metadata"}, {"managedFields"}}, drop);
        made.text_ = "managedFields";
    }
    for (const auto& [paths, m] : {std::pair{&keep_paths, keep}, std::pair{&drop_paths, drop}}) {
        for (const auto& path : *paths) {
            auto steps = parse(path);
            if (!steps) return steps.error();
            made.add(*steps, m);
            made.text_ += (m == keep ? '+' : '-') + std::to_string(path.size()) + ':' + path;
        }
    }
    return made;
}

void field_filter::add(const std::vector<step>& path, mark m)
{
    std::uint32_t at = 0;
    for (const step& s : path) {
        nodes_[at].inside |= m;
        at = child(at, s);
    }
    nodes_[at].here |= m;
}

std::uint32_t field_filter::child(std::uint32_t parent, const step& s)
{
    const auto fresh = static_cast<std::uint32_t>(nodes_.size());
    node& n = nodes_[parent];
    if (s.any) {
        if (n.any) return *n.any;
        n.any = fresh;
    } else {
        for (const auto& [name, at] : n.members)
            if (name == s.name) return at;
        n.members.emplace_back(s.name, fresh);
        n.sizes |= node::bit_of(s.name);
    }
    nodes_.emplace_back();
    return fresh;
}

void filter_walk::begin()
{
    KUBECORO_EXPECT(!filter_->empty());
    active_.assign(1, 0);
    open_.assign(1, {0, 1, filter_->keeps_by_default(), false, false});
    next_ = verdict::part;
}

filter_walk::verdict filter_walk::descend(const std::string_view* name)
{
    const frame& f = open_.back();
    active_.resize(f.last);
    unsigned char here = 0;
    unsigned char inside = 0;
    const auto take = [&](std::uint32_t i) {
        active_.push_back(i);
        here |= filter_->at(i).here;
        inside |= filter_->at(i).inside;
    };
    for (std::uint32_t i = f.first; i < f.last; ++i) {
        const auto& n = filter_->at(active_[i]);
        if (n.any) take(*n.any);
        if (name == nullptr) continue;
        if (const std::uint32_t* const at = n.find(*name)) take(*at);
    }
    next_kept_ = f.kept || (here & field_filter::keep) != 0;
    next_dropped_ = f.dropped || (here & field_filter::drop) != 0;
    if ((here & field_filter::always) != 0) return verdict::whole;
    if (next_kept_ && !next_dropped_) return (inside & field_filter::drop) != 0 ? verdict::part : verdict::whole;
    const unsigned reasons = next_dropped_ ? field_filter::always : field_filter::always | field_filter::keep;
    return (inside & reasons) != 0 ? verdict::way : verdict::skip;
}

std::optional<std::uint64_t> filter_walk::pruning() const noexcept
{
    if (next_ == verdict::whole) return 0;
    if (next_ == verdict::skip || active_.size() != open_.back().last + std::size_t{1}) return std::nullopt;
    return 1 + (std::uint64_t{active_.back()} << 2 | (next_kept_ ? 2U : 0U) | (next_dropped_ ? 1U : 0U));
}

filter_walk::verdict filter_walk::key(std::string_view text) { return next_ = descend(&text); }

void filter_walk::enter(bool is_object)
{
    const std::uint32_t first = open_.back().last;
    open_.push_back({first, static_cast<std::uint32_t>(active_.size()), next_kept_, next_dropped_, !is_object});
    if (!is_object) next_ = descend(nullptr);
}

void filter_walk::leave()
{
    active_.resize(open_.back().last);
    open_.pop_back();
    // Every item of an array has the same path.
    if (!open_.empty() && open_.back().is_array) next_ = descend(nullptr);
}

using verdict = filter_walk::verdict;

pruned_tape::pruned_tape(const decode_limits& limits, const field_filter& filter, vocabulary* words)
    : tape_(limits.max_object_bytes, limits.max_depth, words), filter_(filter), walk_(filter), words_(words)
{
}

void pruned_tape::clear(bool prune)
{
    tape_.clear();
    pruning_ = following_ = prune && !filter_.empty();
    followed_depth_ = 0;
    mute_ = false;
    has_way_key_ = false;
    if (!following_) return;
    walk_.begin();
    if (words_ != nullptr && filter_number_ == 0) filter_number_ = words_->filter_number(filter_.text());
}

void pruned_tape::listen() noexcept
{
    mute_ = following_ && walk_.next() != verdict::whole && walk_.next() != verdict::part;
}

bool pruned_tape::followed_key(std::string_view text)
{
    const verdict v = walk_.key(text);
    listen();
    has_way_key_ = v == verdict::way;
    if (has_way_key_) way_key_ = text;
    return mute_ || tape_.key(text);
}

bool pruned_tape::followed_may_repeat()
{
    const auto pruning = walk_.pruning();
    if (!pruning || (*pruning != 0 && filter_number_ == 0)) return false;
    followed_pruning_ = *pruning == 0 ? 0 : filter_number_ << 48 | *pruning;
    // If a limit is exceeded here, the container's beginning fails too.
    return !std::exchange(has_way_key_, false) || tape_.key(way_key_);
}

bool pruned_tape::pruned_begin(bool is_object)
{
    if (tape_.depth() != 0 && following_ && !followed_begin(is_object)) return false;
    return is_object ? tape_.begin_object() : tape_.begin_array();
}

bool pruned_tape::followed_begin(bool is_object)
{
    if (has_way_key_ && !tape_.key(way_key_)) return false;
    has_way_key_ = false;
    if (walk_.next() == verdict::whole) {
        following_ = false;
        followed_depth_ = tape_.depth();
    } else {
        walk_.enter(is_object);
    }
    listen();
    return true;
}

bool pruned_tape::pruned_end()
{
    if (!tape_.end()) return false;
    if (following_)
        walk_.leave();
    else
        following_ = followed_depth_ != 0 && tape_.depth() == followed_depth_;
    if (following_) followed_depth_ = 0;
    has_way_key_ = false;
    listen();
    return true;
}

} // namespace kubecoro::detail
