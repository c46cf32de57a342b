#include "pod_values.hpp"

#include <chrono>
#include <cstdio>

namespace kubecoro::bench {
namespace {

constexpr std::uint32_t name_characters = 5;
constexpr std::uint32_t names_of_workload = 27 * 27 * 27 * 27 * 27;

std::string address(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d)
{
    return std::to_string(a) + '.' + std::to_string(b) + '.' + std::to_string(c) + '.' + std::to_string(d);
}

} // namespace

std::string timestamp(std::int64_t seconds)
{
    using namespace std::chrono;
    const sys_seconds at{std::chrono::seconds{seconds}};
    const auto day = floor<days>(at);
    const year_month_day date{day};
    const hh_mm_ss time{at - day};
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()));
    return text;
}

std::string pod_name(const workload& work, std::uint64_t seed, std::uint32_t number, std::uint32_t replica)
{
    seeded random(seed, 3, number);
    const std::uint64_t start = random.below(names_of_workload);
    // A multiplier without the factor 3 of 27^5 maps replicas to distinct names.
    const std::uint64_t step = std::uint64_t{random.below(names_of_workload / 3)} * 3 + 1;
    std::uint64_t code = (start + step * replica) % names_of_workload;
    std::string out = work.app + "-" + work.hash + "-";
    for (std::uint32_t i = 0; i < name_characters; ++i, code /= name_alphabet.size())
        out += name_alphabet[code % name_alphabet.size()];
    return out;
}

std::vector<std::string> pod_values(const workload& work, std::string name, const pod_place& place, seeded random,
                                    object_state state, bool own)
{
    std::vector<std::string> out(pod_slots);
    const std::int64_t created = work.rolled_out + random.below(600);
    const std::int64_t scheduled_in = 1 + random.below(8);
    const bool again = state == object_state::second;
    seeded later(random.next(), 4);
    // A container restarts in the weeks after its roll-out.
    const std::int64_t restarted = again ? 3600 + later.below(14U * 86'400U) : 0;
    out[slot_name] = std::move(name);
    out[slot_uid] = random.uuid();
    out[slot_version] = std::to_string(place.version);
    out[slot_created] = timestamp(created);
    out[slot_token] = random.text(5, name_alphabet);
    out[slot_node] = "node-" + std::to_string(place.node / 100) + "-" + std::to_string(place.node % 100);
    out[slot_host_ip] = address(172, 16 + place.node / 62'500, place.node / 250 % 250, place.node % 250 + 2);
    out[slot_ip] = address(10, place.node / 250 % 250, place.node % 250, place.on_node + 2);
    out[slot_restarts] = again ? "1" : "0";
    for (std::size_t k = 0; k < max_containers; ++k) {
        const std::int64_t started = created + scheduled_in + static_cast<std::int64_t>(k);
        const std::string id = random.hex(64);
        // The first container is the application, and the one that restarts.
        out[slot_container_id + k] = again && k == 0 ? later.hex(64) : id;
        out[slot_started + k] = timestamp(k == 0 ? started + restarted : started);
    }
    out[slot_ready_at] = timestamp(created + scheduled_in + 5 + random.below(30) + restarted);
    out[slot_reported_at] = timestamp(created + scheduled_in + 36 + restarted);
    if (own)
        for (std::size_t k = 0; k < max_own_values; ++k)
            out[slot_own + k] = random.text(random.between(24, 112),
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    return out;
}

} // namespace kubecoro::bench
