#include "load.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>

namespace kubecoro::bench::hooks {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using clock = std::chrono::steady_clock;

double load_result::percentile(double share) const
{
    if (microseconds.empty()) return 0;
    const auto at = static_cast<std::size_t>(share * static_cast<double>(microseconds.size()));
    return microseconds[std::min(at, microseconds.size() - 1)];
}

namespace {

/// One connection with its review.
struct line
{
    line(asio::io_context& io, asio::ssl::context& tls) : stream(io, tls) {}
    asio::ssl::stream<asio::ip::tcp::socket> stream;
    boost::beast::flat_buffer buffer;
    std::optional<http::response_parser<http::string_body>> answer;
    clock::time_point due;
};

} // namespace

struct load::state
{
    asio::io_context io{1};
    asio::ssl::context tls{asio::ssl::context::tls_client};
    std::vector<std::unique_ptr<line>> lines;
    std::vector<line*> idle;
    std::deque<clock::time_point> waiting;
    std::string request;
    load_result out;
    std::optional<failure> failed;

    void begin(line& l, clock::time_point due)
    {
        l.due = due;
        asio::async_write(l.stream, asio::buffer(request), [this, &l](const auto& error, std::size_t) {
            if (error) return fail(cond::unreachable, error.message());
            l.answer.emplace();
            http::async_read(l.stream, l.buffer, *l.answer, [this, &l](const auto& why, std::size_t) { take(l, why); });
        });
    }
    void take(line& l, const boost::system::error_code& error)
    {
        if (error) return fail(cond::unreachable, error.message());
        const auto& body = l.answer->get().body();
        if (body.find("\"allowed\":true") == std::string::npos) return fail(cond::corrupt, "refused: " + body);
        out.microseconds.push_back(std::chrono::duration<double, std::micro>(clock::now() - l.due).count());
        ++out.reviews;
        if (waiting.empty()) return idle.push_back(&l);
        const auto due = waiting.front();
        waiting.pop_front();
        begin(l, due);
    }
    void fail(cond c, std::string why)
    {
        if (!failed) failed = failure(c, std::move(why));
    }
};

load::load(std::unique_ptr<state> s) : state_(std::move(s)) {}
load::~load() = default;
load::load(load&&) noexcept = default;

result<load> load::connect(const load_options& options)
{
    auto s = std::make_unique<state>();
    boost::system::error_code error;
    s->tls.add_certificate_authority(asio::buffer(options.authority), error);
    s->tls.set_verify_mode(asio::ssl::verify_peer);
    for (std::size_t i = 0; !error && i < options.connections; ++i) {
        auto& l = *s->lines.emplace_back(std::make_unique<line>(s->io, s->tls));
        l.stream.lowest_layer().connect({asio::ip::address_v4::loopback(), options.port}, error);
        if (!error) l.stream.lowest_layer().set_option(asio::ip::tcp::no_delay(true), error);
        if (!error) l.stream.handshake(asio::ssl::stream_base::client, error);
        s->idle.push_back(&l);
    }
    if (error) return failure(cond::unreachable, error.message());
    return load(std::move(s));
}

result<load_result> load::post(const std::string& path, std::size_t per_second, std::chrono::seconds time)
{
    auto& s = *state_;
    const auto body = review_of_pod();
    s.request = "POST " + path + "?timeout=10s HTTP/1.1\r\nHost: bench-webhooks.default.svc:443\r\n" +
                "User-Agent: kube-apiserver-admission\r\nAccept: application/json, */*\r\n" +
                "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    s.out = {};
    const auto step = std::chrono::nanoseconds(std::chrono::seconds(1)) / per_second;
    const std::size_t all = per_second * static_cast<std::size_t>(time.count());
    s.out.microseconds.reserve(all);
    auto due = clock::now();
    for (std::size_t asked = 0; s.out.reviews < all && !s.failed;) {
        if (asked < all && clock::now() >= due) {
            ++asked;
            if (s.idle.empty()) {
                s.waiting.push_back(due);
            } else {
                auto& l = *s.idle.back();
                s.idle.pop_back();
                s.begin(l, due);
            }
            due += step;
        }
        s.io.restart();
        s.io.poll();
    }
    if (s.failed) return *s.failed;
    std::ranges::sort(s.out.microseconds);
    return std::move(s.out);
}

std::string review_of_pod()
{
    const std::string container =
        R"({"name":"NAME","image":"registry.example.com/shop/web:1.2.3","args":["--port=8080","--cache=256Mi"],
"ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],"env":[{"name":"NAMESPACE","valueFrom":{"fieldRef":{"apiVersion":"v1",
"fieldPath":"metadata.namespace"}}},{"name":"DATABASE","value":"postgres://db.shop.svc:5432/shop"},{"name":"TOKEN","valueFrom":
{"secretKeyRef":{"name":"shop","key":"token"}}}],"resources":{"limits":{"cpu":"500m","memory":"512Mi"},"requests":{"cpu":"100m",
"memory":"128Mi"}},"volumeMounts":[{"name":"config","mountPath":"/etc/shop"},{"name":"token","readOnly":true,"mountPath":
"/var/run/secrets/kubernetes.io/serviceaccount"}],"livenessProbe":{"httpGet":{"path":"/livez","port":8080,"scheme":"HTTP"},
"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},"readinessProbe":{"httpGet":{"path":"/readyz",
"port":8080,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},"terminationMessagePath":
"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent","securityContext":{"capabilities":{"drop":
["ALL"]},"runAsNonRoot":true,"allowPrivilegeEscalation":false}})";
    auto second = container, first = container;
    first.replace(first.find("NAME"), 4, "web");
    second.replace(second.find("NAME"), 4, "log");
    std::string out = R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":
"705ab4f5-6393-11e8-b7cc-42010a800002","kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":
"pods"},"requestKind":{"group":"","version":"v1","kind":"Pod"},"requestResource":{"group":"","version":"v1","resource":"pods"},
"name":"web-7d4b9c6f5d-x2x9z","namespace":"shop","operation":"CREATE","userInfo":{"username":
"system:serviceaccount:kube-system:replicaset-controller","uid":"1d2f3a4b-0000-4000-8000-000000000001","groups":
["system:serviceaccounts","system:serviceaccounts:kube-system","system:authenticated"]},"object":{"kind":"Pod","apiVersion":"v1",
"metadata":{"name":"web-7d4b9c6f5d-x2x9z","generateName":"web-7d4b9c6f5d-","namespace":"shop","uid":"3f1c9f8e-0000-4000-8000-000000000002",
"creationTimestamp":"2026-03-01T10:00:00Z","labels":{"app":"web","pod-template-hash":"7d4b9c6f5d"},"annotations":
{"example.com/config-hash":"0f343b0931126a20f133d67c2b018a3b"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":
"web-7d4b9c6f5d","uid":"9c1b7d2a-0000-4000-8000-000000000003","controller":true,"blockOwnerDeletion":true}],"managedFields":[{"manager":
"kube-controller-manager","operation":"Update","apiVersion":"v1","time":"2026-03-01T10:00:00Z","fieldsType":"FieldsV1","fieldsV1":
{"f:metadata":{"f:annotations":{".":{},"f:example.com/config-hash":{}},"f:generateName":{},"f:labels":{".":{},"f:app":{},
"f:pod-template-hash":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"9c1b7d2a-0000-4000-8000-000000000003\"}":{}}},"f:spec":
{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:args":{},"f:env":{},"f:image":{},"f:name":{},"f:ports":{},"f:resources":{}}},
"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:volumes":{}}}}]},"spec":{"volumes":[{"name":"config","configMap":{"name":
"shop","defaultMode":420}},{"name":"token","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},
{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}}],"defaultMode":420}}],"containers":[)" +
                      first + "," + second +
                      R"(],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",
"serviceAccountName":"shop","serviceAccount":"shop","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"key":
"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":
"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":
true,"preemptionPolicy":"PreemptLowerPriority"},"status":{"phase":"Pending","qosClass":"Burstable"}},"oldObject":null,"dryRun":false,
"options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1"}}})";
    std::erase(out, '\n');
    return out;
}

} // namespace kubecoro::bench::hooks
