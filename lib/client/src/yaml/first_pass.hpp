#pragma once
// The first pass over a YAML text, before anything is built of it.

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** Bounds what a text makes a parser build, and finds the keys that a map has twice. Refuses texts of which yaml-cpp 0.7
    makes documents without an end: it does not pass over a "," or "]" that begins one. Throws YAML::ParserException. */
class yaml_first_pass : public YAML::EventHandler
{
public:
    /// @param most_nodes  In all documents; an alias is one.
    explicit yaml_first_pass(std::size_t most_nodes) : left_(most_nodes) {}

    /// The keys that a map of the first document with content has twice.
    std::vector<std::string> duplicates;

    void OnDocumentStart(const YAML::Mark& at) override
    {
        if (at.pos == last_) throw YAML::ParserException(at, "did not find expected node content");
        last_ = at.pos;
    }
    void OnDocumentEnd() override { is_first_ = is_first_ && is_empty_; }
    void OnNull(const YAML::Mark& at, YAML::anchor_t /*anchor*/) override { pass(at, nullptr); }
    void OnAlias(const YAML::Mark& at, YAML::anchor_t /*anchor*/) override { pass(at, nullptr); }
    void OnScalar(const YAML::Mark& at, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  const std::string& text) override
    {
        is_empty_ = false;
        pass(at, &text);
    }
    void OnSequenceStart(const YAML::Mark& at, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                         YAML::EmitterStyle::value /*style*/) override
    {
        open(at, false);
    }
    void OnSequenceEnd() override { levels_.pop_back(); }
    void OnMapStart(const YAML::Mark& at, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                    YAML::EmitterStyle::value /*style*/) override
    {
        open(at, true);
    }
    void OnMapEnd() override { levels_.pop_back(); }

private:
    static constexpr std::size_t most_named = 100;

    struct level
    {
        bool is_map;
        bool at_key = true;
        std::set<std::string> keys = {};
    };

    void open(const YAML::Mark& at, bool is_map)
    {
        is_empty_ = false;
        pass(at, nullptr);
        levels_.push_back({is_map});
    }

    /// @param text  The scalar; null for any other node.
    void pass(const YAML::Mark& at, const std::string* text)
    {
        if (left_ == 0) throw YAML::ParserException(at, "too many nodes");
        --left_;
        if (levels_.empty() || !levels_.back().is_map) return;
        auto& map = levels_.back();
        if (map.at_key && text && is_first_) note_key(map, at, *text);
        map.at_key = !map.at_key;
    }

    void note_key(level& map, const YAML::Mark& at, const std::string& key)
    {
        if (duplicates.size() >= most_named || map.keys.insert(key).second) return;
        duplicates.push_back("line " + std::to_string(at.line + 1) + ": key " +
                             boost::json::serialize(boost::json::string(key)) + " already set in map");
    }

    std::size_t left_;
    std::vector<level> levels_;
    /// No document before had content.
    bool is_first_ = true;
    bool is_empty_ = true;
    int last_ = -1;
};

} // namespace kubecoro::detail
