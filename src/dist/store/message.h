// Messages of the key-value store: a length, then numbers and strings.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace taper::distributed {

/// First bytes of a connection: what does not begin with them is not a rank.
inline constexpr std::string_view kStoreMagic = "taper-store-1";
/// Longest message, without its length of 4 bytes.
inline constexpr std::uint32_t kMaxStoreMessage = 1u << 24;

enum class StoreRequest : std::uint8_t {
  hello,    ///< magic, job, rank, size, is_observer
  set,      ///< key, value
  get,      ///< key, milliseconds: the value, when it exists
  add,      ///< key, number: the sum
  leave,    ///< the rank will not be reported as ended
  join,     ///< the rank takes part again
  departed  ///< numbers of the ranks whose connection ended while they took part
};
enum class StoreReply : std::uint8_t {
  ok,
  timed_out,
  other_job,  ///< name of the job of the server
  rejected    ///< reason
};

/// Appends numbers and strings to a message.
class MessageWriter {
 public:
  explicit MessageWriter(std::uint8_t kind) { text_.push_back(static_cast<char>(kind)); }

  MessageWriter& number(std::int64_t value);
  MessageWriter& string(std::string_view value);
  /// Returns the message with its length before it.
  std::string framed() const;

 private:
  std::string text_;
};

/// Reads a message without its length. Functions return nullopt at its end.
class MessageReader {
 public:
  explicit MessageReader(std::string_view text) : text_(text) {}
  explicit MessageReader(std::string&& text) = delete;  // it is referenced

  std::optional<std::uint8_t> kind();
  std::optional<std::int64_t> number();
  std::optional<std::string> string();
  bool is_at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
};

/// Returns the length before a message of which `text` is the beginning; nullopt if it has less
/// than 4 bytes.
std::optional<std::uint32_t> message_length(std::string_view text);

}  // namespace taper::distributed
