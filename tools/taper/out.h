// Out: buffered standard output with optional colors.
#pragma once
#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

namespace taper::cli {

enum class Color : unsigned char { none, bold, dim, red, green, yellow, cyan };

/// Buffers text and writes it in large pieces. If the reader closes the pipe, as `head` does, the
/// remaining text is discarded without an error. By default, colors and bars are printed on a
/// terminal only.
class Out {
 public:
  enum class Decoration : unsigned char { automatic, always, never };
  /// `automatic`: colors and bars on a terminal, unless TERM is "dumb". NO_COLOR disables colors.
  explicit Out(Decoration decoration = Decoration::automatic);
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;

  template <class... A> void print(fmt::format_string<A...> form, A&&... arguments) {
    write(fmt::format(form, std::forward<A>(arguments)...));
  }
  void write(std::string_view text);
  /// Writes the buffered text. Throws taper::IoError on failure, except for a closed pipe.
  void flush();

  /// Returns true if bars and histograms are enabled.
  bool decoration() const { return decoration_; }
  bool terminal() const { return terminal_; }
  /// Returns COLUMNS if it is set, otherwise the width of the terminal, or 80 if it is unknown.
  int columns() const;
  /// Returns the text in a color, or unchanged if colors are disabled.
  std::string paint(Color color, std::string_view text) const;

 private:
  std::string text_;
  bool terminal_, decoration_, colored_, closed_ = false;
};

}  // namespace taper::cli
