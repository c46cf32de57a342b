#include "contents.hpp"

#include <functional>

namespace soak {

namespace {

std::string metadata(dice& d, const std::string& name)
{
    const auto team = std::hash<std::string>{}(name) % teams;
    std::string out = R"("metadata":{"name":")" + name + R"(","labels":{"app":"app-)" + std::to_string(team * 7) +
                      R"(","team":"team-)" + std::to_string(team) + R"(","run":")" + d.word(8) +
                      R"("},"annotations":{"kubernetes.io/change-cause":"change )" + d.word(12) + '"';
    for (int i = 0; i < 3; ++i) out += R"(,"soak.example.com/)" + d.word(10) + R"(":")" + d.word(120) + '"';
    return out + "}}";
}

std::string container(const std::string& name, std::size_t number)
{
    const auto n = std::to_string(number);
    std::string out = R"({"name":"container-)" + n + R"(","image":"registry.example.com/team/)" + name.substr(0, 5) +
                      R"(:v1.)" + n + R"(","imagePullPolicy":"IfNotPresent","command":["/bin/server","--port=808)" + n +
                      R"("],"ports":[{"name":"http","containerPort":808)" + n + R"(,"protocol":"TCP"}],"env":[)";
    for (int i = 0; i < 8; ++i) {
        if (i > 0) out += ',';
        out += R"({"name":"SETTING_)" + std::to_string(i) + R"(","value":")" + name + "-" + std::to_string(i) + R"("})";
    }
    return out +
           R"(],"resources":{"limits":{"cpu":"500m","memory":"256Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},)" +
           R"("livenessProbe":{"httpGet":{"path":"/healthz","port":"http","scheme":"HTTP"},"periodSeconds":10},)" +
           R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"})";
}

} // namespace

std::string namespace_name(std::size_t number) { return "soak-" + std::to_string(number); }

std::size_t dice::below(std::size_t n)
{
    return static_cast<std::size_t>(kubecoro::detail::next_unit(random_) * static_cast<double>(n));
}

std::string dice::word(std::size_t length)
{
    constexpr const char* digits = "0123456789abcdef";
    std::string out;
    while (out.size() < length) out += digits[below(16)];
    return out;
}

std::string pod_text(dice& d, const std::string& name)
{
    const auto node = std::to_string(std::hash<std::string>{}(name) % 100);
    return R"({"apiVersion":"v1","kind":"Pod",)" + metadata(d, name) + R"(,"spec":{"nodeName":"node-)" + node +
           R"(","restartPolicy":"Always","containers":[)" + container(name, 0) + ',' + container(name, 1) + "]}}";
}

std::string config_map_text(dice& d, const std::string& name)
{
    std::string out = R"({"apiVersion":"v1","kind":"ConfigMap",)" + metadata(d, name) + R"(,"data":{"fixed":")" +
                      std::string(500, 'x') + '"';
    const auto keys = 2 + d.below(6);
    for (std::size_t i = 0; i < keys; ++i) out += R"(,"key-)" + d.word(6) + R"(":")" + d.word(200) + '"';
    return out + "}}";
}

} // namespace soak
