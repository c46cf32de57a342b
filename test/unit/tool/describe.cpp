#include "print/describe.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json/parse.hpp>

using namespace kubecoro::tool;
namespace json = boost::json;

TEST_CASE("tool: fields have readable names, keys of maps stay", "[tool]")
{
    CHECK(readable_name("restartPolicy") == "Restart Policy");
    CHECK(readable_name("podIP") == "Pod IP");
    CHECK(readable_name("podIPs") == "Pod IPs");
    CHECK(readable_name("clusterIPFamily") == "Cluster IP Family");
    CHECK(readable_name("app.kubernetes.io/name") == "app.kubernetes.io/name");
    CHECK(readable_name("").empty());
}

TEST_CASE("tool: describe shows every field, conditions and events as tables", "[tool]")
{
    const auto pod = json::parse(
        R"json({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"web","labels":{"app":"x","tier":"y"},
        "creationTimestamp":"2026-01-01T00:00:00Z","ownerReferences":[{"kind":"Job","name":"j"},{"kind":"ReplicaSet","name":"rs","controller":true}]},
        "spec":{"restartPolicy":"Always","containers":[{"name":"main","image":"i","args":["-c","two\nlines"]}],"volumes":[]},
        "status":{"conditions":[{"type":"Ready","status":"True","reason":"Fine"}],"phase":"Running"}})json");
    const auto events = json::parse(
        R"json([{"type":"Warning","reason":"Failed","lastTimestamp":"2026-01-02T00:00:00Z","count":3,"source":{"component":"kubelet"},"message":"no"}])json");
    CHECK(describe_object(pod, events.as_array()) == R"(Name:          a
Namespace:     web
Kind:          Pod (v1)
Labels:        app=x
               tier=y
Annotations:   <none>
Created:       2026-01-01T00:00:00Z
Controlled By: ReplicaSet/rs
Spec:
  Restart Policy:  Always
  Containers:
    main:
      Image:  i
      Args:
        -  -c
        -
          two
          lines
  Volumes:  <none>
Status:
  Conditions:
    TYPE    STATUS   REASON   LAST CHANGE   MESSAGE
    Ready   True     Fine                   
  Phase:  Running
Events:
  TYPE      REASON   LAST SEEN              COUNT   FROM      MESSAGE
  Warning   Failed   2026-01-02T00:00:00Z   3       kubelet   no
)");
}

TEST_CASE("tool: describe shows names that users choose as they are written", "[tool]")
{
    const auto shown = [](const char* text) { return describe_object(json::parse(text), {}); };
    CHECK(shown(R"({"kind":"ConfigMap","data":{"myKey":"v","n":"2"},"binaryData":{"logo":"AAEC"}})")
              .find("Data:\n  myKey:  v\n  n:  2\nBinary Data:\n  logo:  AAEC\n") != std::string::npos);
    CHECK(shown(R"({"spec":{"selector":{"matchLabels":{"app":"x"}}}})")
              .find("Selector:\n    Match Labels:\n      app:  x\n") != std::string::npos);
    CHECK(shown(R"({"spec":{"selector":{"app":"x"}}})").find("  Selector:\n    app:  x\n") != std::string::npos);
    CHECK(shown(R"({"spec":{"resources":{"limits":{"cpu":"1"}}}})").find("      cpu:  1\n") != std::string::npos);
    // The name of an entry is not that of a field.
    CHECK(shown(R"({"data":{"labels":{"podIP":"x"}}})").find("  labels:\n    Pod IP:  x\n") != std::string::npos);
    CHECK(shown(R"({"spec":{"hostIP":"x"}})").find("  Host IP:  x\n") != std::string::npos);
}

TEST_CASE("tool: describe does not show the values of a Secret, but their sizes", "[tool]")
{
    const auto secret = json::parse(
        R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"},"data":{"p":"c3VycHJpc2U=","e":""},"stringData":{"q":"clear"},"type":"Opaque"})");
    const auto text = describe_object(secret, {});
    CHECK(text.find("c3Vyc") == std::string::npos);
    CHECK(text.find("clear") == std::string::npos);
    CHECK(text.find("  p:  8 bytes\n  e:  0 bytes\n") != std::string::npos);
    CHECK(text.find("Type:  Opaque\n") != std::string::npos);
}

TEST_CASE("tool: describe leaves out kubectl's copy of an object, which has the values of a Secret", "[tool]")
{
    const auto secret = json::parse(R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","annotations":{
        "kubectl.kubernetes.io/last-applied-configuration":"{\"data\":{\"p\":\"c3VycHJpc2U=\"}}","team":"a"}}})");
    const auto text = describe_object(secret, {});
    CHECK(text.find("c3Vyc") == std::string::npos);
    CHECK(text.find("Annotations:   team: a\n") != std::string::npos);
}

TEST_CASE("tool: no text of an object controls the terminal", "[tool]")
{
    const auto odd = json::parse(
        R"json({"kind":"X\u001b[2J","metadata":{"name":"\u001b[2J","labels":{"a\u001b[2J":"b\nForged: yes"},"annotations":{"k":"v\u009b"}},
        "sp\u001b[2Jec":{"a\nb":"\u001b[2J\nx\r"},"l":["\u001b[2J",{"name":"\u001b[2J"},["\u001b[2J"]]})json");
    const auto text = describe_object(odd, json::array{json::object{{"message", "\x1b[2J\nForged"}}});
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\r') == std::string::npos);
    CHECK(text.find("\xc2\x9b") == std::string::npos);
    CHECK(text.find("\nForged") == std::string::npos);
    for (const char* value : {"3", "[]", "\"x\"", "null", "{}"})
        CHECK_FALSE(describe_object(json::parse(value), {}).empty());
}
