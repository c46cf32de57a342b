// The interface between the connections of a server and its purpose: requests and their answers.
#pragma once

#include <kubecoro/http/detail/request_reader.hpp>
#include <kubecoro/http/detail/response_text.hpp>
#include <kubecoro/http/detail/shared_turn.hpp>

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

class connection;
class connection_table;

/// A limit on the bytes held by all shares together. Thread safe.
class byte_budget
{
public:
    explicit byte_budget(std::size_t limit) noexcept : limit_(limit) {}
    byte_budget(const byte_budget&) = delete;
    byte_budget& operator=(const byte_budget&) = delete;

    [[nodiscard]] std::size_t used() const noexcept { return used_.load(); }

    /// One holder's part of the budget. Used by one thread at a time; the destructor releases it.
    class share
    {
    public:
        /// @param from  Null = no limit.
        explicit share(byte_budget* from) noexcept : from_(from) {}
        ~share() { release(); }
        share(const share&) = delete;
        share& operator=(const share&) = delete;

        /// Changes the bytes held to `bytes`. @return false, with nothing changed, when the budget does not allow it.
        [[nodiscard]] bool resize(std::size_t bytes) noexcept
        {
            if (from_ == nullptr) return true;
            if (bytes > held_ && !from_->take(bytes - held_)) return false;
            if (bytes < held_) from_->used_ -= held_ - bytes;
            held_ = bytes;
            return true;
        }
        void release() noexcept { (void)resize(0); }

    private:
        byte_budget* from_;
        std::size_t held_ = 0;
    };

private:
    [[nodiscard]] bool take(std::size_t bytes) noexcept
    {
        if (used_.fetch_add(bytes) + bytes <= limit_) return true;
        used_ -= bytes;
        return false;
    }

    const std::size_t limit_;
    std::atomic<std::size_t> used_{0};
};

/// Bytes of a body: a text of its own, or one that other answers share.
struct body_part
{
    std::string own = {};
    /// Set: in place of `own`. Not in chunks.
    std::shared_ptr<const std::string> shared = {};
};

/// A body, or the rest of one, that is made while it is sent. Used on the connection's strand.
class body_source
{
public:
    enum class step
    {
        more,
        /// This part is the last one.
        last,
        /// The answer breaks off, which its client sees.
        broken
    };

    virtual ~body_source() = default;
    /// Appends the next part, which may be empty; waits for it if there is none yet.
    [[nodiscard]] virtual boost::asio::awaitable<step> next(body_part& into, connection& by) = 0;
};

/// One response. Content-Length, Transfer-Encoding, Date and Connection are added to its headers.
struct http_reply
{
    int status = 200;
    header_list headers = {};
    body_part body = {};
    /// The rest of the body, after `body`; null when that is all.
    std::unique_ptr<body_source> source = {};
    /// The source waits for what it sends: each part has a time limit of its own, and is sent as a complete chunk.
    bool live = false;
    /// The connection ends with the answer, even if the client reads chunks.
    bool until_close = false;
    /// Held until the answer has been sent.
    std::vector<std::shared_ptr<shared_turn>> held = {};
};

/// A text.
[[nodiscard]] http_reply text_reply(int status, std::string text);

/// Why the server has closed a connection by itself.
enum class closing
{
    none,
    past_deadline,
    /// Between two requests.
    idle,
    /// Before its turn for a TLS handshake.
    without_handshake,
    for_another,
    stopping
};

/// Called on the strands of connections, which share it.
class http_service
{
public:
    virtual ~http_service() = default;

    /// Before a handshake whose client has sent something. @return false: the connection ends.
    [[nodiscard]] virtual boost::asio::awaitable<bool> await_handshake(connection& by);
    /// Before a request is answered. @return false: the connection ends.
    [[nodiscard]] virtual boost::asio::awaitable<bool> await_answer(connection& by);
    /// Checks a request by its head, before its body is read. @return the refusal; empty: read it.
    [[nodiscard]] virtual boost::asio::awaitable<std::optional<http_reply>> refuse_early(const incoming_request& head,
                                                                                         connection& by);
    /// Answers a request. @return empty: the connection ends.
    [[nodiscard]] virtual boost::asio::awaitable<std::optional<http_reply>> answer(incoming_request& request,
                                                                                   connection& by) = 0;
    /// The answer to a request that the reader has refused.
    [[nodiscard]] virtual http_reply refusal(request_reader::state why);
    /// The budget for the bodies of all requests; null = none. A request beyond it is answered with 429.
    [[nodiscard]] virtual byte_budget* bodies() noexcept { return nullptr; }
    /// Whether clients are turned away as soon as they connect.
    [[nodiscard]] virtual bool turns_away() const noexcept { return false; }
    /// Begins the turns whose time has come. @return when to call it again.
    [[nodiscard]] virtual time_point pass_on() { return time_point::max(); }

    /// A client has connected. @param admitted  False when there was no room.
    virtual void on_accepted(bool admitted);
    /// A connection has ended. @param failed  Why its handshake failed; empty = it did not.
    virtual void on_end(closing why, const std::string& failed);
};

/** A service whose clients have turns by their addresses, for handshakes and for requests. Strand-confined.

    A class that is derived from it adds turns for what else its clients share. */
class fair_service : public http_service, public turn_board
{
public:
    /// Turns that begin in a second; a fifth of them begins at once. 0 = no limit.
    struct rates
    {
        std::size_t handshakes = 50;
        std::size_t requests = 1000;
    };
    fair_service(std::shared_ptr<connection_table> table, const rates& in_a_second);

    boost::asio::awaitable<bool> await_handshake(connection& by) override;
    boost::asio::awaitable<bool> await_answer(connection& by) override;
    [[nodiscard]] time_point now() const noexcept override;
    time_point pass_on() override;
    /// Ends an answer whose client stalls, or an old one of an address that has more than the one that waits.
    void make_way(const client_turns& of) override;

protected:
    /// @param units  Held at once.
    [[nodiscard]] client_turns::limits turns_of(std::size_t units = client_turns::limits{}.units) const;
    /// From now on pass_on() begins these as well. They live as long as the service.
    void add(client_turns& more) { all_.push_back(&more); }
    [[nodiscard]] connection_table& table() const noexcept { return *table_; }

private:
    std::shared_ptr<connection_table> table_;
    client_turns handshakes_;
    client_turns requests_;
    std::vector<client_turns*> all_;
};

} // namespace kubecoro::detail
