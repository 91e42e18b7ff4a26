#include "resize.h"

#include "taper/nn/functional.h"

namespace training {

taper::Tensor resize_images(const taper::Tensor& images, int max_value, std::int64_t height,
                            std::int64_t width) {
  return taper::F::interpolate(
      images.to(taper::DType::f32) / max_value,
      {.size = taper::Shape{height, width}, .mode = "bilinear", .align_corners = false});
}

}  // namespace training
