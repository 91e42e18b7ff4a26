// Expressions in Python, derived from those in C++.
#include <cctype>

#include "sweep/sweep.h"

namespace taper::bench {

namespace {

class Translator {
 public:
  explicit Translator(const std::string& text) : text_(text) {}

  std::string translate() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"')
        copy_string();
      else if (c == '{')
        open();
      else if (c == '}')
        close();
      else if (text_.compare(at_, 2, "::") == 0)
        out_ += '.', at_ += 2;
      else if (c == '.' && begins_argument())
        ++at_;
      else if (std::isalpha(static_cast<unsigned char>(c)))
        copy_word();
      else
        out_ += c, ++at_;
    }
    return out_;
  }

 private:
  void copy_string() {
    const std::size_t end = text_.find('"', at_ + 1) + 1;
    out_ += text_.substr(at_, end - at_);
    at_ = end;
  }
  // `{.size = 2}` are keyword arguments, `{2, 2}` is a list.
  void open() {
    const std::size_t next = text_.find_first_not_of(' ', at_ + 1);
    braces_ += text_[next] == '.' ? 'k' : 'l';
    if (braces_.back() == 'l') out_ += '[';
    at_ = braces_.back() == 'l' ? at_ + 1 : next;
  }
  void close() {
    if (braces_.back() == 'l') out_ += ']';
    braces_.pop_back();
    ++at_;
  }
  // True at the dot of a designated initializer.
  bool begins_argument() const {
    if (braces_.empty() || braces_.back() != 'k') return false;
    const std::size_t before = out_.find_last_not_of(' ');
    return before == std::string::npos || out_[before] == ',' || out_[before] == '(';
  }
  void copy_word() {
    std::size_t end = at_;
    while (end < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_'))
      ++end;
    const std::string word = text_.substr(at_, end - at_);
    out_ += word == "true" ? "True" : word == "false" ? "False" : word;
    at_ = end;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::string out_, braces_;
};

}  // namespace

std::string python_text(const std::string& expression) {
  return Translator(expression).translate();
}

}  // namespace taper::bench
