#include "out.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "taper/core/error.h"

namespace taper::cli {
namespace {

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value && *value;
}

bool is_dumb() {
  const char* const term = std::getenv("TERM");
  return term && std::strcmp(term, "dumb") == 0;
}

std::string_view ansi_code(Color color) {
  switch (color) {
    case Color::bold: return "1";
    case Color::dim: return "2";
    case Color::red: return "31";
    case Color::green: return "32";
    case Color::yellow: return "33";
    case Color::cyan: return "36";
    case Color::none: break;
  }
  return "0";
}

}  // namespace

Out::Out(Decoration decoration)
    : terminal_(isatty(STDOUT_FILENO) == 1),
      decoration_(decoration == Decoration::always ||
                  (decoration == Decoration::automatic && terminal_ && !is_dumb())),
      colored_(decoration == Decoration::always || (decoration_ && !is_set("NO_COLOR"))) {}

void Out::write(std::string_view text) {
  constexpr std::size_t kBufferSize = 1u << 16;
  text_ += text;
  if (text_.size() >= kBufferSize) flush();
}

void Out::flush() {
  std::string_view remaining = text_;
  while (!remaining.empty() && !closed_) {
    const ssize_t n = ::write(STDOUT_FILENO, remaining.data(), remaining.size());
    if (n >= 0) {
      remaining.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EPIPE) {
      closed_ = true;
    } else if (errno != EINTR) {
      const std::string reason = std::strerror(errno);
      text_.clear();
      throw taper::IoError("cannot write to standard output: " + reason);
    }
  }
  text_.clear();
}

int Out::columns() const {
  // The variable COLUMNS overrides the size of the terminal, as in Python and shells.
  const char* const columns_variable = std::getenv("COLUMNS");
  if (const int columns = columns_variable ? std::atoi(columns_variable) : 0; columns > 0)
    return columns;
  winsize size{};
  if (terminal_ && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

std::string Out::paint(Color color, std::string_view text) const {
  if (!colored_ || color == Color::none || text.empty()) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", ansi_code(color), text);
}

}  // namespace taper::cli
