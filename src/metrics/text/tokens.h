// Words and characters of UTF-8 texts.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taper::metrics {

/// Returns the code points of a UTF-8 text. Invalid bytes are code points of their own.
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(const std::u32string& text);
/// Returns the words between white space, as Python's str.split.
std::vector<std::string> split_words(std::string_view text);

/// Returns the costs of turning `a` into `b` by insertions, deletions and replacements.
template <class Sequence>
std::int64_t edit_distance(const Sequence& a, const Sequence& b, std::int64_t replacement = 1);

/// Tokenizers of SacreBLEU.
std::u32string tokenize_13a(std::u32string text);
std::u32string tokenize_zh(const std::u32string& text);
std::u32string tokenize_characters(const std::u32string& text);

}  // namespace taper::metrics
