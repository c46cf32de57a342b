#include "exposition.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::cluster_metrics {
namespace {

constexpr std::size_t part_bytes = std::size_t{64} * 1024;
/// Objects that are visited for one part, when they have no series of the family.
constexpr std::size_t part_objects = 4096;

void append_header(std::string& out, const family& f)
{
    out += "# HELP ";
    out += f.name;
    out += ' ';
    out += f.help;
    out += "\n# TYPE ";
    out += f.name;
    out += f.type == family_type::counter ? " counter\n" : " gauge\n";
}

} // namespace

exposition::exposition(std::vector<kind_state> kinds, series_limits limits) : kinds_(std::move(kinds)), limits_(limits)
{
    // As kube-state-metrics: a kind without objects has no headers.
    std::erase_if(kinds_, [](const kind_state& k) { return k.objects.empty(); });
}

bool exposition::next(std::string& out)
{
    const auto before = out.size();
    if (kind_ < kinds_.size() && continue_family(out)) advance();
    totals_.bytes += out.size() - before;
    return kind_ < kinds_.size();
}

bool exposition::continue_family(std::string& out)
{
    const auto& k = kinds_[kind_];
    const family& f = k.kind->families[family_];
    if (object_ == 0) append_header(out, f);
    series_sink sink(out, limits_);
    const auto last = std::min(k.objects.size(), object_ + part_objects);
    while (object_ < last && out.size() < part_bytes) {
        const object& o = k.objects[object_++];
        sink.begin(f.name, o, k.kind->labels);
        f.write({o, f.path, k.shown}, sink);
    }
    totals_.series += sink.series();
    totals_.left_out += sink.left_out();
    return object_ == k.objects.size();
}

void exposition::advance()
{
    object_ = 0;
    if (++family_ < kinds_[kind_].kind->families.size()) return;
    family_ = 0;
    // The rest of a scrape need not keep them.
    kinds_[kind_].objects = {};
    ++kind_;
}

} // namespace kubecoro::cluster_metrics
