#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/random/elements.h"
#include "core/random/vector_math.h"

namespace taper::random {
namespace {

constexpr std::int64_t kBlock = 16;

using random::box_muller;  // the overload for float

void box_muller(double* x, std::int64_t blocks, double mean, double std) {
  for (std::int64_t block = 0; block < blocks; ++block, x += kBlock) {
    for (int j = 0; j < 8; ++j) {
      const double r = std::sqrt(-2 * std::log(1 - x[j])), t = 2 * std::numbers::pi * x[j + 8];
      x[j] = std::fma(r * std::cos(t), std, mean);
      x[j + 8] = std::fma(r * std::sin(t), std, mean);
    }
  }
}

void fill_uniforms(Engine& engine, double* out, std::int64_t n) {
  for_each_uniform53(engine, n, [&](std::int64_t i, double u) { out[i] = u; });
}
void fill_uniforms(Engine& engine, float* out, std::int64_t n) {
  for_each_uniform24(engine, n, [&](std::int64_t i, float u) { out[i] = u; });
}

/// Fills `x` with one block of normals for a 16-bit type. Elementary functions are computed in
/// double and rounded to float; other operations are computed in float.
void fill_block_16bit(Engine& engine, float* x, float mean, float std) {
  fill_uniforms(engine, x, kBlock);
  for (int j = 0; j < 8; ++j) {
    const auto log = static_cast<float>(std::log(1 - static_cast<double>(x[j])));
    const float r = std::sqrt(-2.0f * log);
    const double t = static_cast<double>(2 * std::numbers::pi_v<float> * x[j + 8]);
    x[j] = std::fma(r * static_cast<float>(std::cos(t)), std, mean);
    x[j + 8] = std::fma(r * static_cast<float>(std::sin(t)), std, mean);
  }
}

/// Draws n uniforms and transforms the full blocks of 16. If n is not a multiple of 16, the last 16
/// elements are then drawn again as one block, as in PyTorch.
template <class T> void fill_blocks(Engine& engine, T* out, std::int64_t n, T mean, T std) {
  // Small enough to stay in the cache between the two loops over a chunk.
  constexpr std::int64_t kChunk = 1024;
  for (std::int64_t done = 0; done < n; done += kChunk) {
    const std::int64_t m = std::min(n - done, kChunk);
    fill_uniforms(engine, out + done, m);
    box_muller(out + done, m / kBlock, mean, std);
  }
  if (n % kBlock == 0) return;
  fill_uniforms(engine, out + n - kBlock, kBlock);
  box_muller(out + n - kBlock, 1, mean, std);
}

void fill(Engine& engine, double* out, std::int64_t n, double mean, double std) {
  fill_blocks(engine, out, n, mean, std);
}

void fill(Engine& engine, float* out, std::int64_t n, double mean, double std) {
  fill_blocks(engine, out, n, static_cast<float>(mean), static_cast<float>(std));
}

template <class T> void fill(Engine& engine, T* out, std::int64_t n, double mean, double std) {
  const auto m = static_cast<float>(mean), s = static_cast<float>(std);
  float block[kBlock];
  const auto write = [&](T* to) {
    fill_block_16bit(engine, block, m, s);
    std::transform(block, block + kBlock, to, [](float x) { return T(x); });
  };
  for (std::int64_t i = 0; i + kBlock <= n; i += kBlock) write(out + i);
  if (n % kBlock != 0) write(out + n - kBlock);
}

}  // namespace

void fill_normal(Engine& engine, Target out, double mean, double std) {
  if (out.size < kBlock) return fill_normal_serial(engine, out, mean, std);
  visit_floating("normal_", out, [&](auto* data) { fill(engine, data, out.size, mean, std); });
}

void fill_normal_serial(Engine& engine, Target out, double mean, double std) {
  visit_floating("normal_", out, [&]<class T>(T* data) {
    for (std::int64_t i = 0; i < out.size; ++i)
      data[i] = to_element<T>(std::fma(engine.normal(), std, mean));
  });
}

void fill_log_normal(Engine& engine, Target out, double mean, double std) {
  visit_floating("log_normal_", out, [&]<class T>(T* data) {
    for (std::int64_t i = 0; i < out.size; ++i)
      data[i] = to_element<T>(std::exp(std::fma(engine.normal(), std, mean)));
  });
}

}  // namespace taper::random
