#include "exposition.hpp"

#include <utility>

namespace kubecoro::cluster_metrics {
namespace {

constexpr std::size_t part_bytes = std::size_t{64} * 1024;
/// Bytes of the objects that are read for one part. They may have no series of the family, and their owners decide how large they
/// are: 5 pods with thousands of containers, or 2,000 usual ones.
constexpr std::size_t part_read_bytes = std::size_t{4} << 20;

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
    if (object_ == 0) {
        append_header(out, f);
        begin_part(f.find);
    }
    series_sink sink(out, limits_);
    std::size_t read = 0;
    while (object_ < k.objects.size() && out.size() < part_bytes && read < part_read_bytes) {
        const object& o = k.objects[object_];
        read += o.bytes();
        sink.begin(f.name, o, k.kind->labels);
        f.write({o, part(o), k.shown}, sink);
        ++object_;
    }
    totals_.series += sink.series();
    totals_.left_out += sink.left_out();
    return object_ == k.objects.size();
}

void exposition::begin_part(part_finder find)
{
    if (find == find_) return;
    find_ = find;
    parts_.clear();
    if (find_ != nullptr) parts_.reserve(kinds_[kind_].objects.size());
}

value_view exposition::part(const object& o)
{
    if (find_ == nullptr) return {};
    if (object_ == parts_.size()) parts_.push_back(find_(o.root()));
    return parts_[object_];
}

void exposition::advance()
{
    object_ = 0;
    if (++family_ < kinds_[kind_].kind->families.size()) return;
    family_ = 0;
    // The rest of a scrape need not keep them.
    begin_part(nullptr);
    kinds_[kind_].objects = std::vector<object>();
    ++kind_;
}

} // namespace kubecoro::cluster_metrics
