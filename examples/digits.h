// The handwritten digits of data/digits for the examples, and images as text.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

#include <taper/taper.h>

#include "taper_paths.h"

namespace digits {

using taper::Tensor;

/// Returns the images (1797, 1, 16, 16), enlarged from 8 x 8, with values from 0 to 1.
inline Tensor images() {
  const Tensor pixels = taper::data::read_idx(TAPER_DATA "/digits/digits-images.idx3-ubyte.gz");
  return taper::F::interpolate(pixels.to(taper::float32).unsqueeze(1) / 16,
                               {.size = taper::Shape{16, 16}, .mode = "bilinear"});
}

/// Returns the digits (1797) that the images show.
inline Tensor labels() {
  return taper::data::read_idx(TAPER_DATA "/digits/digits-labels.idx1-ubyte.gz").to(taper::int64);
}

/// Prints images (N, 1, H, W) with values from 0 to 1 side by side; a character is two pixels.
inline void print(const Tensor& batch) {
  const std::string shades = " .:-=+*#%@";
  const Tensor pixels = taper::F::avg_pool2d(batch.detach().clamp(0, 1), {2, 1});
  const auto values = pixels.permute({2, 0, 1, 3}).contiguous();  // lines of all images
  const auto width = static_cast<std::size_t>(batch.size(3));
  std::string line;
  for (const float value : values.data<float>()) {
    line += shades[std::min<std::size_t>(static_cast<std::size_t>(value * 10), 9)];
    if (line.size() == width * static_cast<std::size_t>(batch.size(0))) {
      std::printf("%s\n", line.c_str());
      line.clear();
    }
  }
}

}  // namespace digits
