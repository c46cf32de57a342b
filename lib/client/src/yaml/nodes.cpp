#include "yaml/document.hpp"

#include <yaml.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <utility>

namespace kubecoro::detail {

namespace {

using result_of_nodes = boost::system::result<std::vector<yaml_node>, yaml_problem>;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
/// Places at which libyaml is made to read as go-yaml does. Each costs a further pass.
constexpr std::size_t most_amendments = 20;

bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/** The text that libyaml reads. libyaml has changed since go-yaml was ported from it: some characters mean something else to it.
    Private characters, which the text does not use, stand in for them, and are put back into what is read. */
class amended_text
{
public:
    explicit amended_text(std::string_view text)
        : text_(text), is_utf16_(text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    {
        // go-yaml takes a byte order mark that does not begin the text for a character like any other.
        std::size_t first = 0;
        while (first < 6 && text.substr(first).starts_with(byte_order_mark)) first += 3;
        if (is_utf16_ || text.find(byte_order_mark, first) == text.npos || !choose_stand_in(mark_)) return;
        for (auto at = text_.find(byte_order_mark, first); at != text_.npos; at = text_.find(byte_order_mark, at + 3))
            text_.replace(at, byte_order_mark.size(), mark_);
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    /// Positions are those of UTF-8; a text in UTF-16 is not amended.
    [[nodiscard]] bool is_utf16() const noexcept { return is_utf16_; }

    /// The position of a character of the text. Characters are counted as libyaml does. Pass ascending numbers.
    std::size_t position_of(std::size_t character)
    {
        if (character < character_) restart();
        for (; character_ < character && position_ < text_.size(); ++character_) {
            ++position_;
            while (position_ < text_.size() && (text_[position_] & 0xC0) == 0x80) ++position_;
        }
        return position_;
    }

    /// A ":" at the end of a plain text in brackets, which libyaml refuses.
    bool amend_colon(std::size_t at) { return choose_stand_in(colon_) && amend(at, ':', colon_); }
    /// The backslash of \' in double quotes, which libyaml does not know.
    bool amend_quote(std::size_t at)
    {
        return at + 1 < text_.size() && text_[at + 1] == '\'' && choose_stand_in(backslash_) &&
               amend(at, '\\', backslash_);
    }
    /// A character of a tag at which libyaml ends it. No tag with such a character has a meaning.
    bool amend_tag(std::size_t at)
    {
        constexpr std::string_view also_in_tags = ",[]";
        return at < text_.size() && also_in_tags.find(text_[at]) != also_in_tags.npos && amend(at, text_[at], ";");
    }

    void put_back(std::string& read) const
    {
        if (read.find('\xEE') == read.npos) return; // with which all stand-ins begin
        put_back(read, mark_, byte_order_mark);
        put_back(read, colon_, ":");
        put_back(read, backslash_, "");
    }

private:
    /// One of U+E000 to U+E03F that the text has neither as it is nor as an escape.
    bool choose_stand_in(std::string& out)
    {
        std::string lower = out.empty() ? text_ : "";
        for (char& c : lower)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        constexpr std::string_view digits = "0123456789abcdef";
        for (std::size_t i = 0; i < 64 && out.empty(); ++i) {
            const std::string candidate{'\xEE', '\x80', static_cast<char>(0x80 + i)};
            const std::string escaped{'e', '0', digits[i / 16], digits[i % 16]};
            if (lower.find(candidate) == lower.npos && lower.find(escaped) == lower.npos) out = candidate;
        }
        return !out.empty();
    }

    void restart()
    {
        character_ = 0;
        position_ = text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    }

    bool amend(std::size_t at, char expected, const std::string& by)
    {
        if (amendments_ == most_amendments || at >= text_.size() || text_[at] != expected) return false;
        ++amendments_;
        text_.replace(at, 1, by);
        restart();
        return true;
    }

    static void put_back(std::string& read, const std::string& stand_in, std::string_view original)
    {
        if (stand_in.empty()) return;
        for (auto at = read.find(stand_in); at != read.npos; at = read.find(stand_in, at + original.size()))
            read.replace(at, stand_in.size(), original);
    }

    std::string text_;
    bool is_utf16_;
    /// Stand-ins; empty until they are used.
    std::string mark_, colon_, backslash_;
    std::size_t amendments_ = 0;
    /// position_of() goes on from here.
    std::size_t character_ = static_cast<std::size_t>(-1);
    std::size_t position_ = 0;
};

class parser
{
public:
    explicit parser(std::string_view text) : rest_(text)
    {
        if (!yaml_parser_initialize(&parser_)) throw std::bad_alloc();
        // Pieces as short as go-yaml's: what stands behind the document is looked at no further than there.
        yaml_parser_set_input(&parser_, read_piece, this);
    }
    parser(const parser&) = delete;
    parser& operator=(const parser&) = delete;
    ~parser()
    {
        yaml_event_delete(&event_);
        yaml_parser_delete(&parser_);
    }

    /// False: the text cannot be read; state() says why.
    bool next()
    {
        yaml_event_delete(&event_);
        const bool read = yaml_parser_parse(&parser_, &event_) != 0;
        if (!read && parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
        return read;
    }
    [[nodiscard]] const yaml_event_t& event() const noexcept { return event_; }
    [[nodiscard]] const yaml_parser_t& state() const noexcept { return parser_; }

private:
    static int read_piece(void* self, unsigned char* buffer, std::size_t size, std::size_t* read)
    {
        constexpr std::size_t piece = 512;
        auto& rest = static_cast<parser*>(self)->rest_;
        *read = std::min({size, rest.size(), piece});
        std::memcpy(buffer, rest.data(), *read);
        rest.remove_prefix(*read);
        return 1;
    }

    std::string_view rest_;
    yaml_parser_t parser_{};
    yaml_event_t event_{};
};

yaml_place place_of(const yaml_mark_t& mark) { return {mark.line, mark.column}; }

std::string text_of(const yaml_char_t* text) { return text ? reinterpret_cast<const char*>(text) : ""; }

yaml_problem problem_of(const yaml_parser_t& state, std::string_view text)
{
    const std::string what = state.problem ? state.problem : "cannot be read";
    if (state.error != YAML_READER_ERROR) return {place_of(state.problem_mark), what};
    return {place_in(text, state.problem_offset), what}; // ahead of the mark
}

/// The tag in front of a node, and the position of the node's content. `at` is that of its first property.
struct properties
{
    std::optional<std::size_t> tag_end;
    bool is_verbatim = false;
    std::size_t content = 0;
};

properties properties_at(const std::string& text, std::size_t at)
{
    properties out;
    while (at < text.size()) {
        if (is_space(text[at])) {
            ++at;
        } else if (text[at] == '#') {
            at = std::min(text.find('\n', at), text.size());
        } else if (text[at] == '&') {
            for (++at; at < text.size() && is_word(text[at]);) ++at;
        } else if (text[at] == '!' && !out.tag_end) {
            ++at;
            out.is_verbatim = at < text.size() && text[at] == '<';
            constexpr std::string_view in_tags = ";/?:@&=+$.!~*'()%";
            if (out.is_verbatim) at = std::min(text.find('>', at), text.size() - 1) + 1;
            while (!out.is_verbatim && at < text.size() &&
                   (is_word(text[at]) || in_tags.find(text[at]) != in_tags.npos))
                ++at;
            out.tag_end = at;
        } else {
            break;
        }
    }
    out.content = at;
    return out;
}

/// The position of a "\/" in a text in double quotes that begins at `at`; go-yaml does not know this escape.
std::optional<std::size_t> escaped_slash(const std::string& text, std::size_t at)
{
    if (at >= text.size() || text[at] != '"') return std::nullopt;
    for (++at; at + 1 < text.size() && text[at] != '"'; ++at) {
        if (text[at] != '\\') continue;
        if (text[at + 1] == '/') return at;
        ++at;
    }
    return std::nullopt;
}

/// One pass over the text. It ends without a result if the text was amended, and must be read again.
class pass
{
public:
    pass(amended_text& text, std::size_t most_nodes, std::size_t most_depth)
        : text_(text),
          parser_(text.text()),
          most_nodes_(most_nodes),
          most_depth_(most_depth),
          has_escaped_slashes_(text.text().find("\\/") != std::string::npos)
    {
    }

    std::optional<result_of_nodes> run()
    {
        for (;;) {
            if (!parser_.next())
                return amended() ? std::nullopt : std::optional(failed(problem_of(parser_.state(), text_.text())));
            const auto& e = parser_.event();
            if (e.type == YAML_STREAM_END_EVENT) return std::move(nodes_);
            if (e.type == YAML_DOCUMENT_END_EVENT) {
                // go-yaml has looked at what follows.
                if (auto wrong = check_slashes(e.start_mark)) return failed(std::move(*wrong));
                return std::move(nodes_);
            }
            if (e.type == YAML_STREAM_START_EVENT) continue;
            if (e.type == YAML_DOCUMENT_START_EVENT) {
                const auto* version = e.data.document_start.version_directive;
                if (version && (version->major != 1 || version->minor != 1))
                    return failed({place_of(e.start_mark), "found incompatible YAML document"});
                continue;
            }
            if (e.type == YAML_SEQUENCE_END_EVENT || e.type == YAML_MAPPING_END_EVENT) {
                close();
                continue;
            }
            if (nodes_.size() == most_nodes_) return failed({place_of(e.start_mark), "too many nodes"});
            const bool opens = e.type == YAML_SEQUENCE_START_EVENT || e.type == YAML_MAPPING_START_EVENT;
            if (opens && open_.size() == most_depth_) return failed({place_of(e.start_mark), "nested too deeply"});
            if (auto wrong = add(e)) {
                if (wrong->what.empty()) return std::nullopt;
                return failed(std::move(*wrong));
            }
        }
    }

private:
    static result_of_nodes failed(yaml_problem p) { return {boost::system::in_place_error, std::move(p)}; }

    /// Makes go-yaml's text of one that libyaml has refused.
    bool amended()
    {
        const auto& state = parser_.state();
        if (state.error != YAML_SCANNER_ERROR || text_.is_utf16()) return false;
        const auto at = text_.position_of(state.problem_mark.index);
        const std::string_view what = state.problem;
        if (what == "found unexpected ':'") return text_.amend_colon(at);
        if (what == "found unknown escape character") return text_.amend_quote(at);
        return (what == "did not find expected whitespace or line break" || what == "did not find expected tag URI") &&
               text_.amend_tag(at);
    }

    /// A problem without words: the text was amended.
    std::optional<yaml_problem> add(const yaml_event_t& e)
    {
        yaml_node node{.at = place_of(e.start_mark)};
        std::string anchor;
        switch (e.type) {
        case YAML_ALIAS_EVENT: {
            node.is = yaml_node::kind::alias;
            node.text = text_of(e.data.alias.anchor);
            const auto found = anchors_.find(node.text);
            if (found == anchors_.end()) return yaml_problem{node.at, "unknown anchor '" + node.text + "' referenced"};
            node.target = found->second;
            break;
        }
        case YAML_SEQUENCE_START_EVENT:
            node.is = yaml_node::kind::sequence;
            anchor = text_of(e.data.sequence_start.anchor);
            node.tag = text_of(e.data.sequence_start.tag);
            break;
        case YAML_MAPPING_START_EVENT:
            node.is = yaml_node::kind::map;
            anchor = text_of(e.data.mapping_start.anchor);
            node.tag = text_of(e.data.mapping_start.tag);
            break;
        default: {
            const auto& scalar = e.data.scalar;
            anchor = text_of(scalar.anchor);
            node.tag = text_of(scalar.tag);
            node.text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
            node.implicit = scalar.plain_implicit != 0;
            // A "?" ends a plain text in brackets and begins a key, for which there is no place.
            if (is_in_brackets() && scalar.style == YAML_PLAIN_SCALAR_STYLE && node.text.find('?') != node.text.npos)
                return yaml_problem{node.at, "did not find expected ',', ']' or '}'"};
        }
        }
        if (auto wrong = check_source(e)) return wrong;
        text_.put_back(node.text);
        const auto number = nodes_.size();
        node.end = number + 1;
        const bool opens = node.is == yaml_node::kind::sequence || node.is == yaml_node::kind::map;
        nodes_.push_back(std::move(node));
        if (!anchor.empty()) anchors_[anchor] = number;
        if (opens) open_.push_back({number, has_brackets(e)});
        return std::nullopt;
    }

    /// Looks at the source of what libyaml and go-yaml read differently without an error.
    std::optional<yaml_problem> check_source(const yaml_event_t& e)
    {
        if (text_.is_utf16() || e.type == YAML_ALIAS_EVENT) return std::nullopt;
        const auto at = text_.position_of(e.start_mark.index);
        const auto& text = text_.text();
        if (at >= text.size() || (text[at] != '!' && text[at] != '&')) return check_slashes(e.start_mark);
        const auto found = properties_at(text, at);
        if (found.tag_end && !found.is_verbatim && text_.amend_tag(*found.tag_end)) return yaml_problem{};
        if (found.is_verbatim && *found.tag_end < text.size() && text[*found.tag_end] == ',')
            return yaml_problem{place_of(e.start_mark), "did not find expected whitespace or line break"};
        return check_slashes(e.start_mark);
    }

    /// Refuses a text in double quotes, if one begins here behind its tag and anchor, that has a "\/".
    std::optional<yaml_problem> check_slashes(const yaml_mark_t& mark)
    {
        if (!has_escaped_slashes_ || text_.is_utf16()) return std::nullopt;
        const auto& text = text_.text();
        const auto content = properties_at(text, text_.position_of(mark.index)).content;
        if (!escaped_slash(text, content)) return std::nullopt;
        return yaml_problem{place_of(mark), "found unknown escape character"};
    }

    static bool has_brackets(const yaml_event_t& e)
    {
        return e.type == YAML_SEQUENCE_START_EVENT ? e.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
                                                   : e.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
    }
    [[nodiscard]] bool is_in_brackets() const { return !open_.empty() && open_.back().second; }

    void close()
    {
        nodes_[open_.back().first].end = nodes_.size();
        open_.pop_back();
    }

    amended_text& text_;
    parser parser_;
    std::size_t most_nodes_;
    std::size_t most_depth_;
    bool has_escaped_slashes_;
    std::vector<yaml_node> nodes_;
    /// The containers around the next node, and whether they are in brackets.
    std::vector<std::pair<std::size_t, bool>> open_;
    std::map<std::string, std::size_t> anchors_;
};

} // namespace

result_of_nodes read_yaml_nodes(std::string_view text, std::size_t most_nodes, std::size_t most_depth)
{
    amended_text amended(text);
    for (;;) {
        pass p(amended, most_nodes, most_depth);
        if (auto done = p.run()) return std::move(*done);
    }
}

} // namespace kubecoro::detail
