// Resampling of u8 images with integer weights.
#include "ops/spatial/interpolate.h"
#include "cpu/scratch.h"
#include "ops/kernel/channels_last.h"
#include "ops/spatial/resample_bytes.h"

namespace taper {
namespace {

resample::ByteTaps byte_taps_of(const Interpolate& o, std::size_t d, const Shape& x,
                                const Shape& y) {
  resample::Taps taps = resample::make_taps<double>(resample_request(o, d, x, y));
  const int bits = resample::quantize(taps);
  return resample::byte_taps(taps, bits);
}

}  // namespace

template <> bool cpu_kernel(const Interpolate& o, const KernelArgs& k) {
  const Shape &x = *k.in[0].shape, &y = *k.out[0].shape;
  if (k.out[0].dtype != DType::u8 || x.size() != 4 || !is_contiguous(k.out[0]) ||
      *resample::find_filter(o.mode) < resample::Filter::linear)
    return false;
  const std::int64_t planes = x[0] * x[1], height = x[2];
  if (planes == 0) return true;
  const resample::ByteTaps columns = byte_taps_of(o, 3, x, y), rows = byte_taps_of(o, 2, x, y);
  if (columns.out == 0 || rows.out == 0) return false;
  const kernel::ViewInLayout input(k.in[0], PhysicalLayout::row_major);
  const cpu::Scratch between(static_cast<std::size_t>(planes * height * y[3]));
  auto* const lines = between.as<std::uint8_t>();
  resample::resample_byte_lines(columns, planes * height, x[3], input.as<std::uint8_t>(), lines);
  resample::resample_byte_rows(rows, planes, height, y[3], lines,
                               reinterpret_cast<std::uint8_t*>(k.out[0].data));
  return true;
}

}  // namespace taper
