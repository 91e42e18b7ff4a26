#include "cpu/conv/grouped.h"

#include "cpu/ceil_div.h"

namespace taper::cpu::conv_grouped {
namespace {

// Sizes of up to three dimensions, of which the last ones are used.
Sizes aligned(const Sizes& sizes, int spatial, std::int64_t unused) {
  Sizes to{unused, unused, unused};
  for (int i = 0; i < spatial; ++i)
    to[static_cast<std::size_t>(3 - spatial + i)] = sizes[static_cast<std::size_t>(i)];
  return to;
}

// Products of larger groups are faster in blocks that fit in the caches.
constexpr std::int64_t kMaxGroupChannels = 64;

}  // namespace

Pass::Pass(const ConvParams& c, bool is_transposed)
    : source(aligned(c.input, c.spatial, 1)),
      target(aligned(c.output, c.spatial, 1)),
      kernel(aligned(c.kernel, c.spatial, 1)),
      stride(aligned(c.stride, c.spatial, 1)),
      dilation(aligned(c.dilation, c.spatial, 1)),
      padding(aligned(c.padding, c.spatial, 0)),
      batch(c.batch),
      groups(c.groups),
      in(c.in_channels / c.groups),
      out(c.out_channels / c.groups),
      transposed(is_transposed) {
  if (!transposed) return;
  std::swap(source, target);
  std::swap(in, out);
}

std::int64_t Pass::source_index(std::size_t dim, std::int64_t t, std::int64_t k) const {
  std::int64_t at;
  if (transposed) {
    at = t + padding[dim] - k * dilation[dim];
    if (stride[dim] != 1) {
      if (at % stride[dim] != 0) return -1;
      at /= stride[dim];
    }
  } else {
    at = t * stride[dim] + k * dilation[dim] - padding[dim];
  }
  return at >= 0 && at < source[dim] ? at : -1;
}

void SourceRows::find(const Pass& p, const float* source, std::int64_t row) {
  rows.clear();
  const std::int64_t y = row % p.target[1], plane = row / p.target[1] % p.target[0],
                     image = row / p.target[1] / p.target[0];
  const std::int64_t line = p.source[2] * p.groups * p.in;
  for (std::int64_t kz = 0; kz < p.kernel[0]; ++kz) {
    const std::int64_t z = p.source_index(0, plane, kz);
    for (std::int64_t ky = 0; z >= 0 && ky < p.kernel[1]; ++ky)
      if (const std::int64_t at = p.source_index(1, y, ky); at >= 0)
        rows.push_back({source + ((image * p.source[0] + z) * p.source[1] + at) * line,
                        kz * p.kernel[1] + ky});
  }
}

Columns::Columns(const Pass& p)
    : step(p.transposed ? p.stride[2] : 1), source_step(p.transposed ? 1 : p.stride[2]) {
  const std::int64_t width = p.source[2];
  // Columns `first + j * step` of the target read source columns `j * source_step + offset` for
  // ascending offsets, which are `tap_step` apart.
  for (std::int64_t first = 0; first < std::min(step, p.target[2]); ++first) {
    const auto first_tap = static_cast<std::int64_t>(taps.size());
    std::vector<std::int64_t> offsets;
    for (std::int64_t i = 0; i < p.kernel[2]; ++i) {
      const std::int64_t k = p.transposed ? p.kernel[2] - 1 - i : i;
      const std::int64_t at = p.transposed ? first + p.padding[2] - k * p.dilation[2]
                                           : k * p.dilation[2] - p.padding[2];
      if (at % step != 0) continue;
      if (!offsets.empty()) tap_step = at / step - offsets.back();
      offsets.push_back(at / step);
      taps.push_back(k);
    }
    const std::int64_t count = ceil_div(p.target[2] - first, step);
    for (std::int64_t j = 0; j < count; ++j) {
      const std::int64_t at = j * source_step;
      std::int64_t begin = 0, end = static_cast<std::int64_t>(offsets.size());
      while (begin < end && at + offsets[static_cast<std::size_t>(begin)] < 0) ++begin;
      while (end > begin && at + offsets[static_cast<std::size_t>(end - 1)] >= width) --end;
      if (j > 0 && spans.back().first_tap == first_tap + begin &&
          spans.back().num_taps == end - begin) {
        ++spans.back().count;
        continue;
      }
      const std::int64_t source = begin < end ? at + offsets[static_cast<std::size_t>(begin)] : 0;
      spans.push_back({first + j * step, 1, first_tap + begin, end - begin, source});
    }
    const auto num_taps = static_cast<std::int64_t>(offsets.size());
    padded_spans.push_back({first, count, first_tap, num_taps, num_taps > 0 ? offsets[0] : 0});
    if (num_taps == 0) continue;
    before = std::max(before, -offsets[0]);
    after = std::max(after, (count - 1) * source_step + offsets.back() - (width - 1));
  }
  for (Span& span : padded_spans) span.source += before;
}

Blocks::Blocks(const Pass& p, std::int64_t lanes, std::int64_t vectors)
    : in(p.in), out(p.out), groups(p.groups) {
  form = in == 1 && out == 1                            ? Form::depthwise
         : in == out && out < lanes && lanes % out == 0 ? Form::spread
                                                        : Form::broadcast;
  if (form == Form::broadcast) {
    width = out <= lanes ? lanes : 2 * lanes;
    per_group = ceil_div(out, width);
    count = groups * per_group;
  } else {
    // Blocks of equal size if possible.
    const std::int64_t all = groups / lanes;
    if (all % vectors != 0 && all % (vectors - 1) == 0) --vectors;
    width = form == Form::depthwise ? lanes * vectors : lanes;
    per_group = 1;
    count = ceil_div(groups * out, width);
  }
}

Strips::Strips(const Pass& p, const Blocks& blocks) : rows(p.target[1]) {
  constexpr std::int64_t kFloats = 8 * 1024;
  const std::int64_t fitting =
      kFloats / std::max<std::int64_t>(1, blocks.source_channels() * p.source[2]);
  const std::int64_t reach = (p.kernel[1] - 1) * p.dilation[1];
  const std::int64_t inner =
      p.transposed ? fitting * p.stride[1] - reach : (fitting - reach - 1) / p.stride[1] + 1;
  per_plane = ceil_div(rows, std::clamp<std::int64_t>(inner, 1, std::max<std::int64_t>(1, rows)));
  height = ceil_div(rows, per_plane);
  per_plane = ceil_div(rows, height);
  count = p.batch * p.target[0] * per_plane;
  const std::int64_t read = p.transposed ? (height - 1 + reach) / p.stride[1] + 1
                                         : (height - 1) * p.stride[1] + reach + 1;
  source_rows = p.kernel[0] * std::min(read, p.source[1]);
}

bool prefer_padded(const Pass& p, const Columns& columns, const Blocks& blocks, bool for_weights) {
  if (p.taps() == 1) return false;
  if (blocks.form == Form::broadcast) return true;
  // Pixels at the sides multiply other columns of the kernel than the rest, one pixel at a time.
  // Measured on the layers of MobileNet v2, EfficientNet-b0, ConvNeXt-tiny and ResNeXt-50.
  const std::int64_t width = p.target[2], kernel = p.kernel[2];
  if (columns.spans.size() == columns.padded_spans.size()) return false;
  if (blocks.form == Form::spread) return width <= 28;
  if (p.stride[2] != 1) return false;
  return for_weights ? width <= 4 * (kernel - 1) : width <= 8 && kernel >= 5;
}

bool is_supported(const ConvParams& c) {
  return c.groups > 1 && c.in_channels <= kMaxGroupChannels * c.groups &&
         c.out_channels <= kMaxGroupChannels * c.groups;
}

void forward(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
             PrepackedWeightCache* cache) {
  compute_target(Pass(c, false), x, w, bias, y, cache);
}

void backward_data(const ConvParams& c, const float* dy, const float* w, float* dx,
                   PrepackedWeightCache* cache) {
  compute_target(Pass(c, true), dy, w, nullptr, dx, cache);
}

void backward_weights(const ConvParams& c, const float* x, const float* dy, float* dw, float* db) {
  compute_weight_gradient(Pass(c, false), x, dy, dw, db);
}

}  // namespace taper::cpu::conv_grouped
