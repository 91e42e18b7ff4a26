#include "metrics/text/tokens.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace taper::metrics {
namespace {

bool is_space(char32_t c) {
  return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

/// Returns the number of bytes of the character at the start of `text`; 1 if it is invalid.
std::size_t length_of_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 1
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 1;
  if (length > text.size()) return 1;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 1;
  return length;
}

/// Bytes of invalid UTF-8 are stored as in Python's error handler "surrogateescape".
constexpr char32_t kEscape = 0xdc00;

void replace_all(std::u32string& text, std::u32string_view from, std::u32string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }

bool is_point(char32_t c) { return c == '.' || c == ','; }

/// ASCII punctuation and space other than `'`, `,`, `-` and `.`.
bool is_separated(char32_t c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

/// Inserts spaces around pairs of characters for which `is_pair` returns true. As in a regular
/// expression, matches do not overlap. `mask` selects the places: before, between, after.
template <class F>
std::u32string separate_pairs(const std::u32string& text, F&& is_pair, std::array<bool, 3> spaces) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !is_pair(text[i], text[i + 1])) {
      result += text[i];
      continue;
    }
    if (spaces[0]) result += U' ';
    result += text[i];
    if (spaces[1]) result += U' ';
    result += text[++i];
    if (spaces[2]) result += U' ';
  }
  return result;
}

/// Separates punctuation, except points and commas between digits.
std::u32string separate_punctuation(const std::u32string& text) {
  std::u32string result;
  for (const char32_t c : text) {
    if (is_separated(c))
      (((result += U' ') += c) += U' ');
    else
      result += c;
  }
  result =
      separate_pairs(result, [](char32_t a, char32_t b) { return !is_digit(a) && is_point(b); },
                     {false, true, true});
  result =
      separate_pairs(result, [](char32_t a, char32_t b) { return is_point(a) && !is_digit(b); },
                     {true, true, false});
  return separate_pairs(result, [](char32_t a, char32_t b) { return is_digit(a) && b == '-'; },
                        {false, true, true});
}

/// Returns true for characters that the tokenizer "zh" separates. SacreBLEU compares with the
/// strings "\u20000" and "\u2a6d6", so that U+2001 to U+2A6D are among them.
bool is_chinese(char32_t c) {
  static constexpr std::array<std::pair<char32_t, char32_t>, 18> kRanges = {{{0x3400, 0x4db5},
                                                                             {0x4e00, 0x9fa5},
                                                                             {0x9fa6, 0x9fbb},
                                                                             {0xf900, 0xfa2d},
                                                                             {0xfa30, 0xfa6a},
                                                                             {0xfa70, 0xfad9},
                                                                             {0xff00, 0xffef},
                                                                             {0x2e80, 0x2eff},
                                                                             {0x3000, 0x303f},
                                                                             {0x31c0, 0x31ef},
                                                                             {0x2f00, 0x2fdf},
                                                                             {0x2ff0, 0x2fff},
                                                                             {0x3100, 0x312f},
                                                                             {0x31a0, 0x31bf},
                                                                             {0xfe10, 0xfe1f},
                                                                             {0xfe30, 0xfe4f},
                                                                             {0x2001, 0x2a6d},
                                                                             {0x3200, 0x33ff}}};
  return std::any_of(kRanges.begin(), kRanges.end(),
                     [c](const auto& range) { return c >= range.first && c <= range.second; });
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string result;
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 1) {
      result += first < 0x80 ? char32_t{first} : kEscape + first;
    } else {
      char32_t c = first & (0x7fu >> length);
      for (std::size_t i = 1; i < length; ++i)
        c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
      result += c;
    }
    text.remove_prefix(length);
  }
  return result;
}

std::string encode_utf8(const std::u32string& text) {
  std::string result;
  const auto add = [&](char32_t byte) { result += static_cast<char>(byte); };
  for (const char32_t c : text) {
    if (c < 0x80) {
      add(c);
    } else if (c >= kEscape + 0x80 && c <= kEscape + 0xff) {
      add(c - kEscape);
    } else if (c < 0x800) {
      add(0xc0 | c >> 6), add(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
      add(0xe0 | c >> 12), add(0x80 | (c >> 6 & 0x3f)), add(0x80 | (c & 0x3f));
    } else {
      add(0xf0 | c >> 18), add(0x80 | (c >> 12 & 0x3f)), add(0x80 | (c >> 6 & 0x3f));
      add(0x80 | (c & 0x3f));
    }
  }
  return result;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::u32string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(encode_utf8(word));
    word.clear();
  };
  for (const char32_t c : decode_utf8(text)) {
    if (is_space(c))
      end_word();
    else
      word += c;
  }
  end_word();
  return words;
}

template <class Sequence>
std::int64_t edit_distance(const Sequence& a, const Sequence& b, std::int64_t replacement) {
  std::vector<std::int64_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::int64_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::int64_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::int64_t replaced = diagonal + (a[i] == b[j] ? 0 : replacement);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}
template std::int64_t edit_distance(const std::u32string&, const std::u32string&, std::int64_t);
template std::int64_t edit_distance(const std::vector<std::string>&,
                                    const std::vector<std::string>&, std::int64_t);

std::u32string tokenize_13a(std::u32string text) {
  replace_all(text, U"<skipped>", U"");
  replace_all(text, U"-\n", U"");
  replace_all(text, U"\n", U" ");
  replace_all(text, U"&quot;", U"\"");
  replace_all(text, U"&amp;", U"&");
  replace_all(text, U"&lt;", U"<");
  replace_all(text, U"&gt;", U">");
  return separate_punctuation(U" " + text + U" ");
}

std::u32string tokenize_zh(const std::u32string& text) {
  std::u32string spaced;
  for (const char32_t c : text) {
    if (is_chinese(c))
      (((spaced += U' ') += c) += U' ');
    else
      spaced += c;
  }
  return separate_punctuation(spaced);
}

std::u32string tokenize_characters(const std::u32string& text) {
  std::u32string result;
  for (const char32_t c : text) (result += c) += U' ';
  return result;
}

}  // namespace taper::metrics
