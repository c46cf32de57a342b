// Tests of the generated objects: size, redundancy, distinct names, validity, determinism.
#include "data_set.hpp"
#include "fields_v1.hpp"
#include "record_file.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>
#include <zdict.h>
#include <zstd.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <unistd.h>

using namespace kubecoro;
using namespace kubecoro::bench;
namespace json = boost::json;

namespace {

constexpr std::uint32_t sample = 4000;

std::string object_text(data_set& data, std::uint32_t object, object_state state = object_state::first)
{
    std::string out;
    data.append(out, object, state);
    return out;
}

struct averages
{
    double bytes = 0;
    double managed_fields = 0;
    double least = 1e9;
    double most = 0;
};

averages measure(data_kind kind)
{
    data_set data({kind, sample, 7});
    averages out;
    for (std::uint32_t i = 0; i < sample; ++i) {
        const std::string text = object_text(data, i);
        const auto bytes = static_cast<double>(text.size());
        out.bytes += bytes / sample;
        out.least = std::min(out.least, bytes);
        out.most = std::max(out.most, bytes);
        const json::value managed = json::parse(text).at("metadata").at("managedFields");
        out.managed_fields += static_cast<double>(json::serialize(managed).size()) / sample;
    }
    return out;
}

/// The factors by which zstd shrinks objects: each alone, and each with a dictionary of 16 KB trained on others.
struct redundancy
{
    double alone = 0;
    double with_dictionary = 0;
};

redundancy compress(data_kind kind)
{
    constexpr std::uint32_t learnt = 1000, measured = 500;
    data_set data({kind, sample, 7});
    std::string all;
    std::vector<std::size_t> sizes;
    // Trained on objects from the whole list, measured on others.
    for (std::uint32_t i = 0; i < learnt; ++i) {
        const std::size_t before = all.size();
        data.append(all, i * 4, object_state::first);
        sizes.push_back(all.size() - before);
    }
    std::string dictionary(16 * 1024, '\0');
    dictionary.resize(ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), all.data(), sizes.data(), learnt));
    const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
    std::string out(64 * 1024, '\0');
    double plain = 0, alone = 0, with_dictionary = 0;
    for (std::uint32_t i = 0; i < measured; ++i) {
        const std::string text = object_text(data, i * 8 + 1);
        plain += static_cast<double>(text.size());
        alone +=
            static_cast<double>(ZSTD_compressCCtx(context.get(), out.data(), out.size(), text.data(), text.size(), 1));
        with_dictionary += static_cast<double>(ZSTD_compress_usingDict(
            context.get(), out.data(), out.size(), text.data(), text.size(), dictionary.data(), dictionary.size(), 1));
    }
    return {plain / alone, plain / with_dictionary};
}

bool within(double value, double target, double part) { return std::abs(value - target) <= part * target; }

/// The names of the members at one level, in order, for comparison with a server's order.
std::string names_of(const json::value& object)
{
    std::string out;
    for (const auto& m : object.as_object()) out += std::string(m.key()) + ' ';
    return out;
}

} // namespace

TEST_CASE("generated objects have the documented sizes")
{
    const averages small = measure(data_kind::small);
    const averages large = measure(data_kind::large);
    const averages low = measure(data_kind::low);
    const averages custom = measure(data_kind::custom);
    for (const auto& [name, a] : {std::pair("small", small), {"large", large}, {"low", low}, {"custom", custom}})
        WARN(name << ": " << a.bytes << " bytes (" << a.least << " to " << a.most << "), managedFields "
                  << 100 * a.managed_fields / a.bytes << " %");
    CHECK(within(small.bytes, 5050, 0.05));
    CHECK(within(small.managed_fields / small.bytes, 0.36, 0.05));
    CHECK(within(large.bytes, 11'400, 0.05));
    CHECK(within(large.managed_fields / large.bytes, 0.39, 0.05));
    CHECK(within(low.bytes, 7950, 0.05));
    CHECK(custom.least >= 4750);
    CHECK(custom.most <= 11'550);
}

TEST_CASE("a generated pod has the members of a real one in the order of a server")
{
    data_set data({data_kind::large, 100, 7});
    const json::value pod = json::parse(object_text(data, 0));
    CHECK(names_of(pod) == "kind apiVersion metadata spec status ");
    CHECK(names_of(pod.at("metadata")) ==
          "name generateName namespace uid resourceVersion generation creationTimestamp labels annotations "
          "ownerReferences managedFields ");
    CHECK(names_of(pod.at("spec").at("containers").at(0)) ==
          "name image args ports env resources volumeMounts livenessProbe readinessProbe terminationMessagePath "
          "terminationMessagePolicy "
          "imagePullPolicy securityContext ");
    const json::array& managed = pod.at("metadata").at("managedFields").as_array();
    REQUIRE(managed.size() == 2);
    CHECK(managed[0].at("manager") == "kube-controller-manager");
    CHECK(names_of(managed[1]) == "manager operation apiVersion time fieldsType fieldsV1 subresource ");
    CHECK(pod.at("metadata").at("annotations").at("bench.example.com/stamp") == "0000000000000000000");
    CHECK(pod.at("spec").at("volumes").as_array().back().as_object().contains("projected"));
    CHECK(object_text(data, 0).find("@{") == std::string::npos);
}

TEST_CASE("custom resources have their members in alphabetical order")
{
    data_set data({data_kind::custom, 10, 7});
    const json::value widget = json::parse(object_text(data, 0));
    CHECK(names_of(widget) == "apiVersion kind metadata spec status ");
    CHECK(names_of(widget.at("metadata")) ==
          "annotations creationTimestamp generation labels managedFields name namespace resourceVersion uid ");
}

TEST_CASE("generated objects are distinct, sorted like a list, and 30 to a node")
{
    for (const data_kind kind : {data_kind::small, data_kind::low, data_kind::custom}) {
        data_set data({kind, sample, 3});
        std::set<std::string> uids, versions, addresses;
        std::map<std::string, int> nodes;
        std::string last;
        for (std::uint32_t i = 0; i < sample; ++i) {
            const json::value object = json::parse(object_text(data, i));
            const json::value& metadata = object.at("metadata");
            const std::string key =
                std::string(metadata.at("namespace").as_string()) + "/" + std::string(metadata.at("name").as_string());
            CHECK(last < key);
            last = key;
            uids.emplace(metadata.at("uid").as_string());
            versions.emplace(metadata.at("resourceVersion").as_string());
            if (kind == data_kind::custom) continue;
            addresses.emplace(object.at("status").at("podIP").as_string());
            ++nodes[std::string(object.at("spec").at("nodeName").as_string())];
        }
        CHECK(uids.size() == sample);
        CHECK(versions.size() == sample);
        CHECK(versions.rbegin()->size() == 10);
        CHECK(std::stoull(*versions.rbegin()) < data.list_version());
        if (kind == data_kind::custom) continue;
        CHECK(addresses.size() == sample);
        for (const auto& [node, pods] : nodes) CHECK(pods <= 30);
    }
}

TEST_CASE("the same seed gives the same objects, another seed others")
{
    for (const data_kind kind : {data_kind::small, data_kind::large, data_kind::low, data_kind::custom}) {
        data_set one({kind, 200, 5}), two({kind, 200, 5}), other({kind, 200, 6});
        // In any order of requests.
        const std::string late = object_text(two, 199);
        CHECK(object_text(one, 17) == object_text(two, 17));
        CHECK(object_text(one, 199) == late);
        CHECK(object_text(one, 17) != object_text(other, 17));
    }
}

TEST_CASE("the second state of an object differs in its status, and all lengths are equal")
{
    for (const data_kind kind : {data_kind::small, data_kind::large, data_kind::low, data_kind::custom}) {
        data_set data({kind, 200, 5});
        for (std::uint32_t i = 0; i < data.size(); ++i) {
            const std::string before = object_text(data, i);
            const std::string after = object_text(data, i, object_state::second);
            REQUIRE(before.size() == after.size());
            json::value a = json::parse(before), b = json::parse(after);
            CHECK(a.at("spec") == b.at("spec"));
            CHECK(a.at("status") != b.at("status"));
            a.at("metadata").as_object().erase("managedFields");
            b.at("metadata").as_object().erase("managedFields");
            CHECK(a.at("metadata") == b.at("metadata"));
        }
    }
}

TEST_CASE("field sets are written as a server writes them")
{
    // The config map and the pod of a captured exchange.
    const json::value map = json::parse(R"({"metadata":{"labels":{"idx":"0","app":"web"}},"data":{"k":"v"}})");
    CHECK(json::serialize(fields_v1(map.as_object())) ==
          R"({"f:data":{".":{},"f:k":{}},"f:metadata":{"f:labels":{".":{},"f:app":{},"f:idx":{}}}})");
    const json::value pod = json::parse(
        R"({"spec":{"containers":[{"name":"c","image":"img:1","resources":{}}],"dnsPolicy":"ClusterFirst","securityContext":{}}})");
    CHECK(json::serialize(fields_v1(pod.as_object())) ==
          R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{},"f:resources":{}}},)"
          R"("f:dnsPolicy":{},"f:securityContext":{}}})");
}

TEST_CASE("a record file returns its records, and reports damage")
{
    const auto path = std::filesystem::temp_directory_path() / ("records-" + std::to_string(::getpid()));
    {
        auto out = record_writer::create(path.string()).value();
        for (const std::string text : {"", "one", "two"}) out.add(text);
        REQUIRE(out.finish());
    }
    const auto read_all = [&] {
        auto in = record_reader::open(path.string()).value();
        std::string all, record;
        while (true) {
            const auto more = in.next(record);
            if (!more) return std::string("damaged");
            if (!*more) return all;
            all += "[" + record + "]";
        }
    };
    CHECK(read_all() == "[][one][two]");
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
    CHECK(read_all() == "damaged");
    std::filesystem::remove(path);
    CHECK(record_reader::open(path.string()).error().condition() == cond::misconfigured);
}

TEST_CASE("the data sets have the documented redundancy")
{
    const redundancy small = compress(data_kind::small), large = compress(data_kind::large),
                     low = compress(data_kind::low);
    const redundancy custom = compress(data_kind::custom);
    for (const auto& [name, r] : {std::pair("small", small), {"large", large}, {"low", low}, {"custom", custom}})
        WARN(name << ": zstd -1 makes it " << r.alone << " times smaller, with a dictionary " << r.with_dictionary
                  << " times");
    CHECK(small.with_dictionary > 8);
    CHECK(large.with_dictionary > 8);
    CHECK(low.with_dictionary < small.with_dictionary / 2);
}
