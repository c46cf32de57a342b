#include "typed_pods.hpp"

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/api/structs.hpp>

#include <ctime>

namespace kubecoro::bench {

namespace {

std::size_t one_field(view<core_v1::pod> p) { return p.spec().nodeName().size(); }

std::size_t ten_fields(view<core_v1::pod> p)
{
    const auto metadata = p.metadata();
    const auto spec = p.spec();
    const auto status = p.status();
    return metadata.name().size() + metadata.namespace_().size() + metadata.uid().size() +
           metadata.labels()["app"].size() + spec.nodeName().size() + spec.serviceAccountName().size() +
           spec.containers()[0].image().size() + status.phase().size() + status.podIP().size() +
           static_cast<std::size_t>(status.containerStatuses()[0].restartCount());
}

double cpu_ns()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// Nanoseconds of CPU that a visit takes. The first pass over all is not counted. @param begin_pass  Called before each.
template<class Items, class Begin, class Visit>
double each(const Items& items, std::chrono::nanoseconds least, Begin begin_pass, Visit visit)
{
    std::size_t sum = 0;
    const auto pass = [&] {
        begin_pass();
        for (const auto& item : items) sum += visit(item);
    };
    pass();
    const auto begin = cpu_ns();
    double taken = 0;
    std::size_t visits = 0;
    for (; taken < static_cast<double>(least.count()) || visits == 0; taken = cpu_ns() - begin) {
        pass();
        visits += items.size();
    }
    asm volatile("" : : "g"(sum)); // so that the compiler cannot omit the visits
    return taken / static_cast<double>(visits);
}

} // namespace

typed_pods::typed_pods(std::vector<std::string> bodies, wire_form form)
    : bodies_(std::move(bodies)), form_(form), encoding_(detail::make_object_encoding())
{
}

result<typed_pods> typed_pods::read(std::vector<std::string> bodies, wire_form form)
{
    typed_pods out(std::move(bodies), form);
    for (const auto& body : out.bodies_) {
        auto decoded = decode_object(body, {}, out.encoding_, form);
        if (!decoded) return decoded.error();
        out.stored_.emplace_back(std::move(*decoded));
        auto value = read_struct(out.stored_.back());
        if (!value) return value.error();
        if (auto back = to_object(*value); !back || !(back->untyped().root() == out.stored_.back().untyped().root()))
            return failure(cond::internal, "a pod is not what it was before it was a struct");
        out.structs_.push_back(std::move(*value));
    }
    if (out.bodies_.empty()) return failure(cond::misconfigured, "there are no pods");
    return out;
}

// Bodies and structs were valid before.
auto typed_pods::decode(const std::string& body) const -> stored_pod
{
    return stored_pod(decode_object(body, {}, encoding_, form_).value());
}

std::string typed_pods::encode(const core_v1::pod& value) const
{
    if (form_ == wire_form::json) return to_text(value);
    // As clients do.
    const detail::struct_view view{&detail::struct_of<core_v1::pod>(), &value};
    if (auto quick = detail::encode_protobuf_body(view, nullptr)) return std::move(*quick);
    return detail::encode_protobuf_body(to_text(value), nullptr).value();
}

boost::json::object typed_pods::measure(std::chrono::nanoseconds least)
{
    boost::json::object out;
    const auto decoding = [&](const char* name, auto use) {
        // As the first list of an informer: no text of a pod is known from an earlier pass.
        const auto forget = [&] { encoding_ = detail::make_object_encoding(); };
        out[name] = each(bodies_, least, forget, [&](const std::string& body) { return use(decode(body)); });
    };
    const auto stored = [&](const char* name, const auto& items, auto use) {
        out[name] = each(
            items, least, [] {}, use);
    };
    decoding("decode_1", [](const stored_pod& pod) { return one_field(*pod); });
    decoding("decode_10", [](const stored_pod& pod) { return ten_fields(*pod); });
    stored("read_1", stored_, [](const stored_pod& pod) { return one_field(*pod); });
    stored("read_10", stored_, [](const stored_pod& pod) { return ten_fields(*pod); });
    const auto copy = [](const stored_pod& pod) { return read_struct(pod).value().metadata.name->size(); };
    decoding("to_struct", copy);
    stored("copy", stored_, copy);
    stored("encode", structs_, [&](const core_v1::pod& pod) { return encode(pod).size(); });
    std::size_t sum = 0;
    for (const auto& pod : stored_) sum += ten_fields(*pod);
    out["sum"] = sum;
    return out;
}

} // namespace kubecoro::bench
