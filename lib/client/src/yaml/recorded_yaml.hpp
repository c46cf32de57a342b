#pragma once
// The documents of a YAML text as one list of nodes. yaml-cpp's own nodes take several times as long to build.

#include "yaml/first_pass.hpp"

#include <yaml-cpp/node/type.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// A node and its place. The nodes in a container follow it, up to `end`.
struct recorded_yaml
{
    YAML::NodeType::value type = YAML::NodeType::Null;
    YAML::Mark at = {};
    /// Text and tag of a scalar.
    std::string text = {};
    std::string tag = {};
    /// The number of the node behind this one and what it contains.
    std::size_t end = 0;
    /// The number of nodes that a container has directly, keys included.
    std::size_t size = 0;
    /// An alias is the node of this number; any other node is itself.
    std::size_t is = 0;
};

/// Records what a parser finds, after the checks of the first pass.
class yaml_recording final : public yaml_first_pass
{
public:
    using yaml_first_pass::yaml_first_pass;

    [[nodiscard]] const std::vector<recorded_yaml>& nodes() const noexcept { return nodes_; }
    /// The number of each document's node.
    [[nodiscard]] const std::vector<std::size_t>& documents() const noexcept { return documents_; }

    void OnDocumentStart(const YAML::Mark& at) override
    {
        yaml_first_pass::OnDocumentStart(at);
        documents_.push_back(nodes_.size());
        anchored_.clear();
    }
    void OnNull(const YAML::Mark& at, YAML::anchor_t anchor) override
    {
        yaml_first_pass::OnNull(at, anchor);
        add({.type = YAML::NodeType::Null, .at = at}, anchor);
    }
    void OnAlias(const YAML::Mark& at, YAML::anchor_t anchor) override
    {
        yaml_first_pass::OnAlias(at, anchor);
        add({.at = at}, YAML::NullAnchor);
        nodes_.back().is = anchored_.at(anchor);
    }
    void OnScalar(const YAML::Mark& at, const std::string& tag, YAML::anchor_t anchor, const std::string& text) override
    {
        yaml_first_pass::OnScalar(at, tag, anchor, text);
        add({.type = YAML::NodeType::Scalar, .at = at, .text = text, .tag = tag}, anchor);
    }
    void OnSequenceStart(const YAML::Mark& at, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override
    {
        yaml_first_pass::OnSequenceStart(at, tag, anchor, style);
        open({.type = YAML::NodeType::Sequence, .at = at}, anchor);
    }
    void OnSequenceEnd() override
    {
        yaml_first_pass::OnSequenceEnd();
        close();
    }
    void OnMapStart(const YAML::Mark& at, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override
    {
        yaml_first_pass::OnMapStart(at, tag, anchor, style);
        open({.type = YAML::NodeType::Map, .at = at}, anchor);
    }
    void OnMapEnd() override
    {
        yaml_first_pass::OnMapEnd();
        close();
    }

private:
    void add(recorded_yaml node, YAML::anchor_t anchor)
    {
        const auto number = nodes_.size();
        node.end = number + 1;
        node.is = number;
        if (!open_.empty()) ++nodes_[open_.back()].size;
        nodes_.push_back(std::move(node));
        if (anchor == YAML::NullAnchor) return;
        // Anchors are numbered from 1.
        if (anchored_.size() <= anchor) anchored_.resize(anchor + 1);
        anchored_[anchor] = number;
    }
    void open(recorded_yaml node, YAML::anchor_t anchor)
    {
        add(std::move(node), anchor);
        open_.push_back(nodes_.size() - 1);
    }
    void close()
    {
        nodes_[open_.back()].end = nodes_.size();
        open_.pop_back();
    }

    std::vector<recorded_yaml> nodes_;
    std::vector<std::size_t> documents_;
    std::vector<std::size_t> open_;
    std::vector<std::size_t> anchored_;
};

/// A node of a recording, with the functions of a YAML::Node. Aliases are what they stand for.
class recorded_node
{
public:
    recorded_node(const std::vector<recorded_yaml>& all, std::size_t number) : all_(&all), number_(all[number].is) {}

    [[nodiscard]] YAML::NodeType::value Type() const noexcept { return own().type; }
    [[nodiscard]] bool IsScalar() const noexcept { return Type() == YAML::NodeType::Scalar; }
    [[nodiscard]] bool IsMap() const noexcept { return Type() == YAML::NodeType::Map; }
    [[nodiscard]] bool IsSequence() const noexcept { return Type() == YAML::NodeType::Sequence; }
    [[nodiscard]] bool IsNull() const noexcept { return Type() == YAML::NodeType::Null; }
    [[nodiscard]] const std::string& Scalar() const noexcept { return own().text; }
    [[nodiscard]] const std::string& Tag() const noexcept { return own().tag; }
    [[nodiscard]] const YAML::Mark& Mark() const noexcept { return own().at; }
    [[nodiscard]] std::size_t size() const noexcept { return own().size; }

    /// Calls each(node) for the items of a sequence, or for the keys and values of a map in turn.
    template<class Each>
    void for_each_node(const Each& each) const
    {
        for (auto i = number_ + 1; i < own().end; i = (*all_)[i].end) each(recorded_node(*all_, i));
    }

private:
    [[nodiscard]] const recorded_yaml& own() const noexcept { return (*all_)[number_]; }

    const std::vector<recorded_yaml>* all_;
    std::size_t number_;
};

} // namespace kubecoro::detail
