#include "results.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace kubecoro::bench {

namespace json = boost::json;

sample_book::entry& sample_book::at(const cell& what)
{
    const auto place = entries_.size();
    auto [found, fresh] = entries_.try_emplace(what);
    if (fresh) found->second.place = place;
    return found->second;
}

void sample_book::add(const cell& what, double value) { at(what).samples.push_back(value); }

void sample_book::missing(const cell& what, std::string reason) { at(what).missing = std::move(reason); }

std::vector<row> sample_book::rows() const
{
    std::vector<row> rows(entries_.size());
    for (const auto& [what, e] : entries_) {
        auto& r = rows[e.place];
        r = {.what = what, .value = summarise(e.samples)};
        if (e.samples.empty()) r.missing = e.missing;
    }
    return rows;
}

namespace {

bool same_run(const cell& a, const cell& b)
{
    return a.workload == b.workload && a.subject == b.subject && a.data == b.data && a.objects == b.objects;
}

/// Whether the book has numbers of this subject in this workload.
bool has_numbers(const std::vector<row>& rows, const cell& what)
{
    return std::any_of(rows.begin(), rows.end(),
                       [&](const row& r) { return r.value.rounds && same_run(r.what, what); });
}

} // namespace

std::vector<row> merge_rows(std::vector<row> old, const std::vector<row>& fresh)
{
    auto outdated = [&](const row& o) {
        const bool again = std::any_of(fresh.begin(), fresh.end(), [&](const row& r) { return r.what == o.what; });
        return !again && has_numbers(fresh, o.what);
    };
    std::erase_if(old, outdated);
    for (const auto& r : fresh) {
        if (!r.value.rounds && !has_numbers(fresh, r.what) && has_numbers(old, r.what)) continue;
        auto same = std::find_if(old.begin(), old.end(), [&](const row& o) { return o.what == r.what; });
        if (same == old.end()) {
            old.push_back(r);
        } else {
            *same = r;
        }
    }
    return old;
}

namespace {

json::object to_json(const row& r)
{
    json::object o{{"workload", r.what.workload}, {"subject", r.what.subject}, {"data", r.what.data},
                   {"objects", r.what.objects},   {"metric", r.what.metric},   {"unit", r.what.unit}};
    if (r.value.rounds) {
        o["median"] = r.value.median;
        o["min"] = r.value.min;
        o["max"] = r.value.max;
    } else {
        for (const char* name : {"median", "min", "max"}) o[name] = nullptr;
        o["missing"] = r.missing;
    }
    o["rounds"] = r.value.rounds;
    return o;
}

std::string text(const json::object& o, std::string_view name) { return json::value_to<std::string>(o.at(name)); }

row from_json(const json::value& v)
{
    const auto& o = v.as_object();
    row r{.what = {.workload = text(o, "workload"),
                   .subject = text(o, "subject"),
                   .data = text(o, "data"),
                   .objects = o.at("objects").to_number<std::uint64_t>(),
                   .metric = text(o, "metric"),
                   .unit = text(o, "unit")}};
    r.value.rounds = o.at("rounds").to_number<std::size_t>();
    if (r.value.rounds) {
        r.value.median = o.at("median").to_number<double>();
        r.value.min = o.at("min").to_number<double>();
        r.value.max = o.at("max").to_number<double>();
    } else {
        r.missing = text(o, "missing");
    }
    return r;
}

} // namespace

std::string to_json_text(const std::vector<row>& rows)
{
    std::string out = "[";
    for (const auto& r : rows) {
        out += out.size() > 1 ? ",\n " : "\n ";
        out += json::serialize(to_json(r));
    }
    return out + "\n]\n";
}

result<std::vector<row>> parse_rows(std::string_view text)
{
    try {
        std::vector<row> rows;
        const auto list = json::parse(text);
        for (const auto& v : list.as_array()) rows.push_back(from_json(v));
        return rows;
    } catch (const std::exception& e) {
        return failure(cond::corrupt, std::string("not a list of results: ") + e.what());
    }
}

const row* find_row(const std::vector<row>& rows, const cell& what)
{
    for (const auto& r : rows) {
        auto same = r.what;
        same.unit = what.unit;
        if (r.value.rounds && same == what) return &r;
    }
    return nullptr;
}

std::string why_missing(const std::vector<row>& rows, const cell& what)
{
    for (const auto& r : rows)
        if (!r.value.rounds && same_run(r.what, what) && (r.what.metric == what.metric || r.what.metric == "all"))
            return r.missing;
    return {};
}

} // namespace kubecoro::bench
