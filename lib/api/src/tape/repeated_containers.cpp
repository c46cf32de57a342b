// The writer's handling of repeated containers: replaces them by numbers, or copies their tapes.
#include "decode/json_skipper.hpp"
#include "tape/tape_writer.hpp"

#include <algorithm>
#include <cstring>

namespace kubecoro::detail {
namespace {

// Maximum number of visits to a container before its text is checked for repetition again.
constexpr int longest_wait = 255;

} // namespace

std::size_t tape_writer::repeat(std::string_view text)
{
    layout::node& n = layout_.at(here_);
    const repeats::entry& known = layout_.repeated().at(n.repeated);
    if (n.repeated != repeats::none && known.when.max_depth <= max_depth_ && text.starts_with(known.text)) {
        n.wait = n.next_wait = 0;
        if (!known.when.owner || *known.when.owner == sightings_.owner()) return copy(known);
        expect_recording(text.substr(0, known.text.size()));
        return 0;
    }
    if (n.wait != 0)
        --n.wait;
    else if (!top_->in_recording)
        look_at(text);
    return 0;
}

std::size_t tape_writer::copy(const repeats::entry& known)
{
    if (!make_room(known.tape.size())) return 0;
    std::memcpy(end_, known.tape.data(), known.tape.size());
    end_ += known.tape.size();
    top_->obstacles |= known.when.obstacles;
    top_->hidden += static_cast<std::uint32_t>(known.when.hidden);
    return known.text.size();
}

void tape_writer::look_at(std::string_view text)
{
    layout::node& n = layout_.at(here_);
    json_skipper skipper;
    skipper.begin(1);
    const std::size_t size = 1 + skipper.feed(text.substr(1, repeats::longest));
    const bool fits = skipper.done() && size >= repeats::shortest;
    n.next_wait = fits ? static_cast<unsigned char>(std::min(2 * n.next_wait + 1, longest_wait)) : longest_wait;
    n.wait = n.next_wait;
    if (fits) expect_recording(text.substr(0, size));
}

void tape_writer::expect_recording(std::string_view text)
{
    if (top_->in_recording) return;
    hint_ = hint::recorded;
    expected_text_ = text;
}

void tape_writer::end_recording(const frame& f)
{
    if ((f.obstacles & obstacle::changing) != 0) return;
    repeats::terms when{max_depth_, f.hidden, f.obstacles, {}};
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
    if (const auto n = container_at(f.at.container, tape)) {
        end_ = head;
        put_container(*n);
        f.hidden = static_cast<std::uint32_t>(spread - static_cast<std::size_t>(end_ - head));
    } else if (words_->containers().has_room(tape)) {
        f.obstacles = obstacle::counting;
    }
}

std::optional<text_table::number> tape_writer::container_at(layout::place p, std::string_view tape)
{
    text_table& known = words_->containers();
    const std::uint32_t last = layout_.at(p).value;
    if (last >= layout::container_0 && known.is(last - layout::container_0, tape)) return last - layout::container_0;
    return look_up(known, tape, p, layout::container_0);
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
