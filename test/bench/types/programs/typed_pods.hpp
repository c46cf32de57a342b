#pragma once

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/core_v1/pod.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::bench {

/// Pods as bytes, as an informer keeps them, and as structs.
class typed_pods
{
public:
    /// @param bodies  Bodies of responses with one pod each. Errors: as decode_object.
    [[nodiscard]] static result<typed_pods> read(std::vector<std::string> bodies, wire_form form);

    /// Nanoseconds of CPU for each pod, by name, measured for at least that long each; and `sum`, the sum of what is
    /// read of all pods, by which subjects are compared.
    [[nodiscard]] boost::json::object measure(std::chrono::nanoseconds least);

private:
    using stored_pod = typed_object<core_v1::pod>;

    typed_pods(std::vector<std::string> bodies, wire_form form);
    [[nodiscard]] stored_pod decode(const std::string& body) const;
    [[nodiscard]] std::string encode(const core_v1::pod& value) const;

    std::vector<std::string> bodies_;
    wire_form form_;
    /// Names by number, as in an informer.
    std::shared_ptr<detail::object_encoding> encoding_;
    std::vector<stored_pod> stored_;
    std::vector<core_v1::pod> structs_;
};

} // namespace kubecoro::bench
