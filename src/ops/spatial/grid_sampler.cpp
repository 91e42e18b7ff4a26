#include "ops/spatial/grid_sampler.h"

#include <algorithm>
#include <array>
#include <vector>

#include "cpu/threads.h"
#include "ops/kernel/dense.h"
#include "ops/spatial/grid_points.h"
#include "taper/autograd/autograd.h"
#include "taper/ops/grid_sampler.h"

namespace taper {
namespace {

using grid::Axis;
using grid::Mode;

/// Sampling of all images, whose elements are in row-major order.
struct Plan {
  std::int64_t images = 0, channels = 0, plane = 1, points = 1;
  std::size_t dims = 0;
  std::array<Axis, grid::kMaxDims> axes{};  ///< in the order of the coordinates: x, y, z

  Plan(const GridSampling& o, const Shape& input, const Shape& grid_shape)
      : images(input[0]), channels(input[1]), dims(input.size() - 2) {
    for (std::size_t d = 1; d + 1 < grid_shape.size(); ++d) points *= grid_shape[d];
    for (std::size_t d = input.size() - 1; d >= 2; --d) {
      Axis& axis = axes[input.size() - 1 - d];
      axis = {.size = input[d],
              .step = plane,
              .align_corners = o.align_corners,
              .padding = grid::padding_named(o.padding_mode)};
      plane *= input[d];
    }
  }
};

/// Pixels that contribute to one point. Pixels outside of the image are omitted.
template <class T> struct Contributions {
  std::size_t count = 0;
  std::array<std::int64_t, 64> offset;
  std::array<T, 64> weight;
  std::array<std::array<T, 64>, grid::kMaxDims> slope;  ///< with respect to each coordinate

  template <Mode mode, bool WithSlopes> void find(const Plan& plan, const T* point) {
    constexpr std::size_t taps = grid::tap_count(mode);
    std::array<grid::Taps<T>, grid::kMaxDims> axes;
    for (std::size_t d = 0; d < plan.dims; ++d)
      axes[d] = grid::taps_of<mode>(point[d], plan.axes[d]);
    std::size_t all = 1;
    for (std::size_t d = 0; d < plan.dims; ++d) all *= taps;
    count = 0;
    for (std::size_t corner = 0; corner < all; ++corner) {
      std::int64_t at = 0;
      T w = 1;
      bool is_inside = true;
      std::array<std::size_t, grid::kMaxDims> k{};
      for (std::size_t d = 0, rest = corner; d < plan.dims; ++d, rest /= taps) {
        k[d] = rest % taps;
        is_inside = is_inside && axes[d].offset[k[d]] >= 0;
        at += axes[d].offset[k[d]];
        w *= axes[d].weight[k[d]];
      }
      if (!is_inside) continue;
      offset[count] = at, weight[count] = w;
      if constexpr (WithSlopes)
        for (std::size_t d = 0; d < plan.dims; ++d) {
          T s = axes[d].slope[k[d]];
          for (std::size_t e = 0; e < plan.dims; ++e)
            if (e != d) s *= axes[e].weight[k[e]];
          slope[d][count] = s;
        }
      ++count;
    }
  }
};

/// Calls f(T{}) with the type of the elements.
template <class F> void in_sampling_type(DType dtype, F&& f) {
  if (dtype == DType::f64)
    f(double{});
  else
    f(float{});
}

/// Calls f with the mode as a constant.
template <class F> void visit_mode(std::string_view mode, F&& f) {
  if (mode == "nearest") return f.template operator()<Mode::nearest>();
  if (mode == "bicubic") return f.template operator()<Mode::bicubic>();
  f.template operator()<Mode::bilinear>();
}

template <Mode mode, class T>
void sample_points(const Plan& p, const T* input, const T* points, T* out) {
  const std::int64_t cost = 1 + p.channels * 4;
  cpu::parallel_for(0, p.images * p.points, 1 + 8192 / cost, [&](std::int64_t b, std::int64_t e) {
    Contributions<T> c;
    for (std::int64_t i = b; i < e; ++i) {
      const std::int64_t image = i / p.points, point = i % p.points;
      c.template find<mode, false>(p, points + i * static_cast<std::int64_t>(p.dims));
      for (std::int64_t channel = 0; channel < p.channels; ++channel) {
        const std::int64_t plane = image * p.channels + channel;
        const T* const from = input + plane * p.plane;
        T sum = 0;
        for (std::size_t k = 0; k < c.count; ++k) sum += from[c.offset[k]] * c.weight[k];
        out[plane * p.points + point] = sum;
      }
    }
  });
}

/// `grad_input` is zero at first. Images are divided among threads, since points share pixels.
template <Mode mode, class T> void sample_gradients(const Plan& p, const T* grad, const T* input,
                                                    const T* points, T* grad_input, T* grad_grid) {
  const auto dims = static_cast<std::int64_t>(p.dims);
  cpu::parallel_for(0, p.images, 1, [&](std::int64_t b, std::int64_t e) {
    Contributions<T> c;
    for (std::int64_t i = b * p.points; i < e * p.points; ++i) {
      const std::int64_t image = i / p.points, point = i % p.points;
      // The value of the nearest pixel does not depend on the point: its gradient is 0, also beside
      // infinite pixels.
      constexpr bool kWithSlopes = mode != Mode::nearest;
      c.template find<mode, kWithSlopes>(p, points + i * dims);
      std::array<T, grid::kMaxDims> slopes{};
      for (std::int64_t channel = 0; channel < p.channels; ++channel) {
        const std::int64_t plane = image * p.channels + channel;
        const T g = grad[plane * p.points + point];
        const T* const from = input + plane * p.plane;
        T* const to = grad_input + plane * p.plane;
        for (std::size_t k = 0; k < c.count; ++k) {
          to[c.offset[k]] += g * c.weight[k];
          if constexpr (kWithSlopes) {
            const T product = g * from[c.offset[k]];
            for (std::size_t d = 0; d < p.dims; ++d) slopes[d] += product * c.slope[d][k];
          }
        }
      }
      for (std::size_t d = 0; d < p.dims; ++d)
        grad_grid[i * dims + static_cast<std::int64_t>(d)] = slopes[d];
    }
  });
}

void check_operands(const ShapeInference& i, const GridSampling& o, const Shape& x,
                    const Shape& g) {
  if (o.mode != "bilinear" && o.mode != "nearest" && o.mode != "bicubic")
    i.fail<ValueError>("expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{}'",
                       o.mode);
  if (o.padding_mode != "zeros" && o.padding_mode != "border" && o.padding_mode != "reflection")
    i.fail<ValueError>(
        "expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '{}'",
        o.padding_mode);
  const bool fits = x.size() >= 3 && x.size() <= 2 + grid::kMaxDims && g.size() == x.size() &&
                    x[0] == g[0] && g[g.size() - 1] == static_cast<std::int64_t>(x.size()) - 2 &&
                    std::all_of(x.begin() + 2, x.end(), [](std::int64_t n) { return n > 0; });
  if (!fits)
    i.fail(
        "expected an input (N, C, ...) with 1 to 3 spatial dimensions that are not empty and a "
        "grid (N, ..., number of spatial dimensions), got input {} and grid {}",
        x, g);
}

Shape sampled_shape(const Shape& x, const Shape& g) {
  Shape y{x[0], x[1]};
  for (std::size_t d = 1; d + 1 < g.size(); ++d) y.push_back(g[d]);
  return y;
}

}  // namespace

void GridSampler::infer(ShapeInference& i) const {
  check_operands(i, *this, i.shape(0), i.shape(1));
  if (i.dtype(0) != i.dtype(1))
    i.fail<DTypeError>("expected input and grid to have same dtype, but got {} and {}", i.dtype(0),
                       i.dtype(1));
  i.set_output(sampled_shape(i.shape(0), i.shape(1)), i.dtype(0));
}

void GridSamplerBackward::infer(ShapeInference& i) const {
  check_operands(i, *this, i.shape(1), i.shape(2));
  const Shape y = sampled_shape(i.shape(1), i.shape(2));
  if (!(i.shape(0) == y)) i.fail("expected a gradient of shape {}, got {}", y, i.shape(0));
  i.set_output(i.shape(1), i.dtype(1));
  i.set_output(i.shape(2), i.dtype(1));
}

template <> void reference_kernel(const GridSampler& o, const KernelArgs& k) {
  if (k.out[0].numel == 0) return;
  const Plan plan(o, *k.in[0].shape, *k.in[1].shape);
  in_sampling_type(k.out[0].dtype, [&]<class T>(T) {
    const kernel::DenseInput<T> input(k.in[0]), points(k.in[1]);
    kernel::DenseOutput<T> out(k.out[0]);
    visit_mode(o.mode, [&]<Mode mode>() {
      sample_points<mode>(plan, input.data(), points.data(), out.data());
    });
    out.store();
  });
}

template <> void reference_kernel(const GridSamplerBackward& o, const KernelArgs& k) {
  const Plan plan(o, *k.in[1].shape, *k.in[2].shape);
  in_sampling_type(k.out[0].dtype, [&]<class T>(T) {
    const kernel::DenseInput<T> grad(k.in[0]), input(k.in[1]), points(k.in[2]);
    kernel::DenseOutput<T> grad_input(k.out[0]), grad_grid(k.out[1]);
    if (k.in[2].numel != 0)
      visit_mode(o.mode, [&]<Mode mode>() {
        sample_gradients<mode>(plan, grad.data(), input.data(), points.data(), grad_input.data(),
                               grad_grid.data());
      });
    grad_input.store(), grad_grid.store();
  });
}

void GridSampler::backward(BackwardContext<GridSampler>& b) const {
  const Tensor &x = b.input<0>(), &g = b.input<1>();
  if (is_grad_enabled()) {
    // Leaves of the graph of the composed function, which is differentiated right away.
    const Tensor input = x.view_as(x), points = g.view_as(g);
    const Tensor y = composed_grid_sample(*this, input, points);
    std::vector<Tensor> wanted;
    if (b.needs_input_grad(0)) wanted.push_back(input);
    if (b.needs_input_grad(1)) wanted.push_back(points);
    const std::vector<Tensor> grads = autograd::grad(
        std::span(&y, 1), wanted,
        {.grad_outputs = {b.grad()}, .create_graph = true, .materialize_grads = true});
    std::size_t next = 0;
    if (b.needs_input_grad(0)) b[0] = grads[next++];
    if (b.needs_input_grad(1)) b[1] = grads[next];
    return;
  }
  GridSamplerBackward gradients;
  static_cast<GridSampling&>(gradients) = *this;
  const auto grads = run_all(gradients, b.grad(), x, g);
  if (b.needs_input_grad(0)) b[0] = grads[0];
  if (b.needs_input_grad(1)) b[1] = grads[1];
}

TAPER_DEFINE_OP(grid_sampler, GridSampler);
TAPER_DEFINE_OP(grid_sampler_backward, GridSamplerBackward);

Tensor grid_sampler(const Tensor& input, const Tensor& grid, IntArg interpolation_mode,
                    IntArg padding_mode, bool align_corners) {
  static constexpr std::array<const char*, 3> kModes{"bilinear", "nearest", "bicubic"},
      kPaddings{"zeros", "border", "reflection"};
  const auto name = [](const char* argument, const auto& names, std::int64_t index) {
    if (index < 0 || index > 2)
      fail<ValueError>("grid_sampler: {} must be 0, 1 or 2, got {}", argument, index);
    return names[static_cast<std::size_t>(index)];
  };
  return run(GridSampler{{name("interpolation_mode", kModes, interpolation_mode),
                          name("padding_mode", kPaddings, padding_mode), align_corners}},
             input, grid);
}

}  // namespace taper
