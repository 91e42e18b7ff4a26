#include "core/random/engine.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>

#include "core/check.h"

namespace taper::random {

void Engine::seed(std::uint64_t value) {
  seed_ = value;
  words_[0] = static_cast<std::uint32_t>(value);
  for (std::uint32_t i = 1; i < kWords; ++i)
    words_[i] = 1812433253u * (words_[i - 1] ^ words_[i - 1] >> 30) + i;
  used_ = kWords;
  fresh_ = true;
  has_normal_ = false;
  normal_ = 0;
}

void Engine::twist() {
  constexpr std::size_t kShift = 397;
  const auto mix = [](std::uint32_t high, std::uint32_t low) {
    return ((high & 0x80000000u) | (low & 0x7fffffffu)) >> 1 ^ ((0u - (low & 1u)) & 0x9908b0dfu);
  };
  std::uint32_t* w = words_.data();
  for (std::size_t i = 0; i < kWords - kShift; ++i) w[i] = w[i + kShift] ^ mix(w[i], w[i + 1]);
  for (std::size_t i = kWords - kShift; i < kWords - 1; ++i)
    w[i] = w[i + kShift - kWords] ^ mix(w[i], w[i + 1]);
  w[kWords - 1] = w[kShift - 1] ^ mix(w[kWords - 1], w[0]);
  used_ = 0;
  fresh_ = false;
}

void Engine::fill(std::span<std::uint32_t> out) {
  while (!out.empty()) {
    if (used_ == kWords) twist();
    const std::size_t n = std::min(out.size(), kWords - used_);
    const std::uint32_t* w = words_.data() + used_;
    for (std::size_t i = 0; i < n; ++i) out[i] = temper(w[i]);
    used_ += n;
    out = out.subspan(n);
  }
}

double Engine::normal() {
  if (has_normal_) {
    has_normal_ = false;
    return normal_;
  }
  const double u1 = uniform53(), u2 = uniform53();
  const double r = std::sqrt(-2 * std::log1p(-u2)), t = 2 * std::numbers::pi * u1;
  normal_ = r * std::sin(t);
  has_normal_ = true;
  return r * std::cos(t);
}

// Layout of the 5056 bytes: seed (u64), left (i32), 1 (i32), next (u64), 624 words (u64 each), 0
// (f64), the cached normal (f64), 0 (f64), 1 if a normal is cached and 0 otherwise (i32), zeros.
namespace {
constexpr std::size_t kLeftOffset = 8, kSeededOffset = 12, kNextOffset = 16, kWordsOffset = 24,
                      kNormalOffset = kWordsOffset + 624 * 8 + 8,
                      kHasNormalOffset = kNormalOffset + 16;

template <class T> void write_le(std::vector<std::uint8_t>& bytes, std::size_t at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i) & 0xffu);
}

template <class T> T read_le(std::span<const std::uint8_t> bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | static_cast<T>(bytes[at + i]) << (8 * i));
  return value;
}
}  // namespace

std::vector<std::uint8_t> Engine::state() const {
  std::vector<std::uint8_t> bytes(kStateBytes);
  const std::size_t next = fresh_ ? 0 : used_;
  write_le(bytes, 0, seed_);
  write_le(bytes, kLeftOffset, static_cast<std::uint32_t>(fresh_ ? 1 : kWords + 1 - used_));
  write_le(bytes, kSeededOffset, std::uint32_t{1});
  write_le(bytes, kNextOffset, std::uint64_t{next});
  for (std::size_t i = 0; i < kWords; ++i)
    write_le(bytes, kWordsOffset + 8 * i, std::uint64_t{words_[i]});
  write_le(bytes, kNormalOffset, std::bit_cast<std::uint64_t>(has_normal_ ? normal_ : 0.0));
  write_le(bytes, kHasNormalOffset, std::uint32_t{has_normal_});
  return bytes;
}

void Engine::set_state(std::span<const std::uint8_t> bytes) {
  if (bytes.size() != kStateBytes)
    fail<ValueError>("Generator.set_state: RNG state is wrong size: got {} bytes, expected {}",
                     bytes.size(), kStateBytes);
  const auto left = read_le<std::uint32_t>(bytes, kLeftOffset);
  const auto next = read_le<std::uint64_t>(bytes, kNextOffset);
  const bool fresh = next == 0 && left == 1;
  bool valid = read_le<std::uint32_t>(bytes, kSeededOffset) == 1 &&
               (fresh || (left >= 1 && next >= 1 && next <= kWords && next + left == kWords + 1));
  Engine restored(0);
  for (std::size_t i = 0; i < kWords; ++i) {
    const auto word = read_le<std::uint64_t>(bytes, kWordsOffset + 8 * i);
    valid = valid && word >> 32 == 0;
    restored.words_[i] = static_cast<std::uint32_t>(word);
  }
  if (!valid)
    fail<ValueError>(
        "Generator.set_state: Invalid mt19937 state: got next {}, left {}, expected a state that "
        "get_state returned",
        next, left);
  restored.seed_ = read_le<std::uint64_t>(bytes, 0);
  restored.used_ = fresh ? kWords : static_cast<std::size_t>(next);
  restored.fresh_ = fresh;
  restored.has_normal_ = read_le<std::uint32_t>(bytes, kHasNormalOffset) != 0;
  restored.normal_ = restored.has_normal_
                         ? std::bit_cast<double>(read_le<std::uint64_t>(bytes, kNormalOffset))
                         : 0;
  *this = restored;
}

}  // namespace taper::random
