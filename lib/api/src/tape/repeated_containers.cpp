// The writer's handling of repeated containers: replaces them by numbers, or copies their tapes.
#include "tape/tape_reader.hpp"
#include "tape/tape_writer.hpp"
#include "text/json_skipper.hpp"

#include <algorithm>
#include <cstring>

namespace kubecoro::detail {
namespace {

// Maximum number of visits to a container before its text is checked for repetition again.
constexpr int longest_wait = 255;

// After this many consecutive containers that were not found, only one in `ask_again` is looked for.
constexpr unsigned most_misses = 16;
constexpr unsigned ask_again = 16;

/// The container at the start of the text; empty if its end is not there, or too far away.
std::string_view container_at_start(std::string_view text)
{
    json_skipper skipper;
    skipper.begin(1);
    const std::size_t size = 1 + skipper.feed(text.substr(1, repeats::longest));
    return skipper.done() ? text.substr(0, size) : std::string_view{};
}

} // namespace

std::size_t tape_writer::repeat(std::string_view text, std::uint64_t pruning)
{
    const repeats::reading how{nullptr, pruning};
    layout::node& n = layout_.at(here_);
    const repeats::entry* const known = recorded_at(n, how);
    if (known != nullptr && text.starts_with(known->text))
        return reuse_last(n, *known, text.substr(0, known->text.size()));
    const bool asks = may_be_former(n, known);
    const bool due = is_due(n);
    if (!asks && !due) return 0;
    const std::string_view container = container_at_start(text);
    if (asks)
        if (const auto size = reuse_former(n, container, how); size != 0) return size;
    if (due) consider(n, container, container.size() >= repeats::shortest, how);
    return 0;
}

bool tape_writer::repeat_whole(std::string_view text, const repeats::reading& how)
{
    layout::node& n = layout_.at(here_);
    const repeats::entry* const known = recorded_at(n, how);
    if (known != nullptr && text == known->text) return reuse_last(n, *known, text) != 0;
    if (may_be_former(n, known) && reuse_former(n, text, how) != 0) return true;
    if (is_due(n)) consider(n, text, text.size() >= repeats::shortest && text.size() <= repeats::longest, how);
    return false;
}

void tape_writer::forget_recordings() noexcept
{
    for (frame* f = top_; f != frames_.data(); --f) f->recorded = {};
}

const repeats::entry* tape_writer::recorded_at(const layout::node& n, const repeats::reading& how) const noexcept
{
    if (n.repeated == repeats::none) return nullptr;
    const repeats::entry& e = layout_.repeated().at(n.repeated);
    return e.when.how == how && e.when.depth == depth_ && e.when.max_depth <= max_depth_ ? &e : nullptr;
}

std::size_t tape_writer::reuse_last(layout::node& n, const repeats::entry& known, std::string_view text)
{
    n.wait = n.next_wait = 0;
    if (known.when.owner && *known.when.owner != sightings_.owner()) {
        expect_recording(text, known.when.how);
        return 0;
    }
    layout_.note_copied(n.repeated);
    return copy_recorded(known);
}

bool tape_writer::may_be_former(layout::node& n, const repeats::entry* last) const noexcept
{
    // Containers that take turns have about the same length.
    if (last == nullptr || last->text.size() < former_repeats::shortest) return false;
    return n.misses < most_misses || ++n.misses % ask_again == 0;
}

std::size_t tape_writer::reuse_former(layout::node& n, std::string_view text, const repeats::reading& how)
{
    const repeats::entry* const known =
        text.size() < former_repeats::shortest ? nullptr : layout_.former().find(text, how, depth_);
    if (known == nullptr) n.misses = static_cast<unsigned char>(std::min(n.misses + 1u, most_misses));
    if (known == nullptr || known->when.max_depth > max_depth_) return 0;
    n.misses = 0;
    return copy_recorded(*known);
}

bool tape_writer::is_due(layout::node& n) const noexcept
{
    if (n.wait == 0) return !top_->in_recording;
    --n.wait;
    return false;
}

bool tape_writer::copy(std::span<const unsigned char> value)
{
    if (!make_room(value.size())) return false;
    std::memcpy(end_, value.data(), value.size());
    end_ += value.size();
    if (!is_shared_container(value.front())) {
        // Texts in it may get numbers, and how far it spreads is not known.
        top_->obstacles |= obstacle::changing;
        return has_room();
    }
    const std::string_view tape = words_->containers().at(read_container_number(value.data()));
    const auto* const trailer = reinterpret_cast<const unsigned char*>(tape.data() + tape.size()) - container_trailer;
    top_->hidden += static_cast<std::uint32_t>(load(trailer, container_trailer) - value.size());
    return has_room();
}

std::size_t tape_writer::copy_recorded(const repeats::entry& known)
{
    if (!make_room(known.tape.size())) return 0;
    std::memcpy(end_, known.tape.data(), known.tape.size());
    end_ += known.tape.size();
    top_->obstacles |= known.when.obstacles;
    top_->hidden += static_cast<std::uint32_t>(known.when.hidden);
    return known.text.size();
}

void tape_writer::consider(layout::node& n, std::string_view text, bool fits, const repeats::reading& how)
{
    n.next_wait = fits ? static_cast<unsigned char>(std::min(2 * n.next_wait + 1, longest_wait)) : longest_wait;
    n.wait = n.next_wait;
    if (fits) expect_recording(text, how);
}

void tape_writer::expect_recording(std::string_view text, const repeats::reading& how)
{
    if (top_->in_recording) return;
    hint_ = hint::recorded;
    expected_text_ = text;
    how_ = how;
}

void tape_writer::end_recording(const frame& f)
{
    if ((f.obstacles & obstacle::changing) != 0) return;
    repeats::terms when{max_depth_, depth_, f.hidden, f.obstacles, {}, how_};
    // Other objects must be counted until everything in it has its number; versions of one object count once.
    if ((f.obstacles & obstacle::counting) != 0) when.owner = sightings_.owner();
    layout_.remember(f.at.container, f.recorded, bytes().subspan(f.start), when);
}

void tape_writer::share(frame& f)
{
    // The root and its metadata are specific to an object, and readers expect them in its own tape.
    if (!f.shares || f.is_metadata || depth_ == 0) return;
    unsigned char* const head = data_.get() + f.start;
    const auto size = static_cast<std::size_t>(end_ - head);
    const std::size_t spread = size + f.hidden;
    if (spread > longest_shared_container) return;
    store(end_, spread, container_trailer);
    const std::string_view tape(reinterpret_cast<const char*>(head), size + container_trailer);
    if (const text_table::entry* const known = container_at(f.at.container, tape)) {
        end_ = head;
        put_container(known->n);
        f.hidden = static_cast<std::uint32_t>(spread - static_cast<std::size_t>(end_ - head));
    } else if (words_->containers().has_room(tape)) {
        f.obstacles = obstacle::counting;
    }
}

const text_table::entry* tape_writer::container_at(layout::place p, std::string_view tape)
{
    const text_table::entry* const last = layout_.at(p).container();
    if (last != nullptr && same_text(last->view(), tape)) return last;
    return passes_over(p) ? nullptr : look_up(words_->containers(), tape, p, false, false);
}

void tape_writer::put_container(text_table::number n) noexcept
{
    const bool is_short = n < short_containers;
    *end_ = is_short ? tag::shared_8 : tag::shared_16;
    const std::size_t width = is_short ? 1 : 2;
    store(end_ + 1, is_short ? n : n - short_containers, width);
    end_ += 1 + width;
}

} // namespace kubecoro::detail
