// Standard output: text for people or for programs, and whether it is a terminal.
#pragma once
#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

namespace taper::cli {

enum class Color : unsigned char { none, bold, dim, red, green, yellow, cyan };

/// Gathers text and writes it in large pieces. A reader that has gone away, as `head` does, is no
/// error: what is left is dropped. Colors and bars are for terminals only.
class Out {
 public:
  enum class Decoration : unsigned char { automatic, always, never };
  /// `automatic`: colours and bars on a terminal, unless NO_COLOR is set or TERM is dumb.
  explicit Out(Decoration decoration = Decoration::automatic);
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;

  template <class... A> void print(fmt::format_string<A...> form, A&&... arguments) {
    write(fmt::format(form, std::forward<A>(arguments)...));
  }
  void write(std::string_view text);
  /// Throws taper::IoError if the text cannot be written, a closed pipe aside.
  void flush();

  /// Whether bars, histograms and lines that are redrawn are wanted.
  bool decoration() const { return decoration_; }
  bool terminal() const { return terminal_; }
  int columns() const;
  /// The text in a colour, where there are colours.
  std::string paint(Color color, std::string_view text) const;

 private:
  std::string text_;
  bool terminal_, decoration_, colored_, closed_ = false;
};

}  // namespace taper::cli
