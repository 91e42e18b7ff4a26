// Convolutions and their gradients against plain loops in double.
#include "cpu/conv/conv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <thread>
#include <vector>

#include "kernels/guarded.h"
#include "kernels/targets.h"
#include "taper/core/parallel.h"

namespace taper::cpu {
namespace {

using test::Guarded;
using test::random_values;

struct Sizes {
  std::int64_t n, ci, h, w, co, kh, kw;
  std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
  std::int64_t dilation_w = 0;  // dilation of the width; 0: the same as `dilation`
};

ConvParams two_dimensional(const Sizes& s) {
  ConvParams c;
  c.batch = s.n;
  c.in_channels = s.ci;
  c.out_channels = s.co;
  c.groups = s.groups;
  c.input = {s.h, s.w, 1};
  c.kernel = {s.kh, s.kw, 1};
  c.stride = {s.stride, s.stride, 1};
  c.padding = c.padding_end = {s.padding, s.padding, 0};
  c.dilation = {s.dilation, s.dilation_w == 0 ? s.dilation : s.dilation_w, 1};
  for (int i = 0; i < 2; ++i) c.output[static_cast<std::size_t>(i)] = conv_output_size(c, i);
  return c;
}

std::int64_t product(const std::array<std::int64_t, 3>& a) { return a[0] * a[1] * a[2]; }

// Computes the output and all three gradients with plain loops in double; unused dimensions have
// extent 1.
struct Expected {
  std::vector<double> y, y_size, dx, dx_size, dw, dw_size, db, db_size;
};

Expected expected(const ConvParams& c, const std::vector<float>& x, const std::vector<float>& w,
                  const std::vector<float>& b, const std::vector<float>& g) {
  Expected r;
  r.y.assign(g.size(), 0), r.y_size = r.y;
  r.dx.assign(x.size(), 0), r.dx_size = r.dx;
  r.dw.assign(w.size(), 0), r.dw_size = r.dw;
  r.db.assign(b.size(), 0), r.db_size = r.db;
  const std::int64_t cg = c.in_channels / c.groups, og = c.out_channels / c.groups;
  const auto add = [](std::vector<double>& to, std::vector<double>& size, std::size_t at,
                      double v) {
    to[at] += v;
    size[at] += std::fabs(v);
  };
  for (std::int64_t n = 0; n < c.batch; ++n)
    for (std::int64_t p = 0; p < product(c.output); ++p)
      for (std::int64_t o = 0; o < c.out_channels; ++o) {
        const std::size_t yi =
            static_cast<std::size_t>((n * product(c.output) + p) * c.out_channels + o);
        const double gy = static_cast<double>(g[yi]);
        add(r.y, r.y_size, yi, static_cast<double>(b[static_cast<std::size_t>(o)]));
        add(r.db, r.db_size, static_cast<std::size_t>(o), gy);
        const std::int64_t op[3] = {p / (c.output[1] * c.output[2]), p / c.output[2] % c.output[1],
                                    p % c.output[2]};
        for (std::int64_t k = 0; k < product(c.kernel); ++k) {
          const std::int64_t kp[3] = {k / (c.kernel[1] * c.kernel[2]),
                                      k / c.kernel[2] % c.kernel[1], k % c.kernel[2]};
          std::int64_t at = 0;
          bool inside = true;
          for (std::size_t i = 0; i < 3; ++i) {
            const std::int64_t q = op[i] * c.stride[i] + kp[i] * c.dilation[i] - c.padding[i];
            inside = inside && q >= 0 && q < c.input[i];
            at = at * c.input[i] + q;
          }
          if (!inside) continue;
          for (std::int64_t ch = 0; ch < cg; ++ch) {
            const std::size_t xi = static_cast<std::size_t>(
                (n * product(c.input) + at) * c.in_channels + o / og * cg + ch);
            const std::size_t wi = static_cast<std::size_t>((o * cg + ch) * product(c.kernel) + k);
            const double xv = static_cast<double>(x[xi]), wv = static_cast<double>(w[wi]);
            add(r.y, r.y_size, yi, xv * wv);
            add(r.dx, r.dx_size, xi, gy * wv);
            add(r.dw, r.dw_size, wi, gy * xv);
          }
        }
      }
  return r;
}

void expect_close(const char* what, const Guarded<float>& got, const std::vector<double>& want,
                  const std::vector<double>& size, double factor) {
  EXPECT_TRUE(got.intact()) << what;
  double scale = 0;
  for (const double s : size) scale = std::max(scale, s);
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_NEAR(static_cast<double>(got[static_cast<std::int64_t>(i)]), want[i], factor * scale)
        << what << " at " << i;
}

// Compares the output and the gradients with `expected`. `factor` is the allowed error relative to
// the largest sum of absolute terms.
template <class F, class D, class W>
void check(const ConvParams& c, double factor, F&& forward, D&& data, W&& weights) {
  const auto n = [](std::size_t v) { return static_cast<std::int64_t>(v); };
  const auto x = random_values<float>(c.batch * product(c.input) * c.in_channels, 1);
  const auto w =
      random_values<float>(c.out_channels * (c.in_channels / c.groups) * product(c.kernel), 2);
  const auto b = random_values<float>(c.out_channels, 3);
  const auto g = random_values<float>(c.batch * product(c.output) * c.out_channels, 4);
  const Expected want = expected(c, x, w, b, g);
  Guarded<float> y(n(g.size())), dx(n(x.size())), dw(n(w.size())), db(n(b.size()));
  PrepackedWeightCache kept;
  for (PrepackedWeightCache* packed : {static_cast<PrepackedWeightCache*>(nullptr), &kept, &kept}) {
    std::fill(y.begin(), y.end(), 99.0f);
    std::fill(dx.begin(), dx.end(), 99.0f);
    forward(c, x.data(), w.data(), b.data(), y.data(), packed);
    data(c, g.data(), w.data(), dx.data(), packed);
    expect_close("y", y, want.y, want.y_size, factor);
    expect_close("dx", dx, want.dx, want.dx_size, factor);
  }
  weights(c, x.data(), g.data(), dw.data(), db.data());
  expect_close("dw", dw, want.dw, want.dw_size, factor);
  expect_close("db", db, want.db, want.db_size, factor);
  Guarded<float> plain(y.size());
  forward(c, x.data(), w.data(), nullptr, plain.data(), nullptr);
  for (std::int64_t i = 0; i < plain.size(); ++i)
    plain[i] += b[static_cast<std::size_t>(i % c.out_channels)];
  expect_close("y without bias", plain, want.y, want.y_size, factor);
  weights(c, x.data(), g.data(), dw.data(), nullptr);
  expect_close("dw without db", dw, want.dw, want.dw_size, factor);
}

void check_native(const Sizes& s) {
  const ConvParams c = two_dimensional(s);
  ASSERT_TRUE(conv_native::is_supported(c));
  test::for_each_target([&] {
    check(c, 2e-6, conv_native::forward, conv_native::backward_data, conv_native::backward_weights);
  });
}

// Products of columns, which support every convolution, and the kernels for groups.
void check_general(const ConvParams& c) {
  const int before = get_num_threads();
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    check(c, 2e-6, conv_columns::forward, conv_columns::backward_data,
          conv_columns::backward_weights);
    if (!conv_grouped::is_supported(c)) continue;
    test::for_each_target([&] {
      check(c, 2e-6, conv_grouped::forward, conv_grouped::backward_data,
            conv_grouped::backward_weights);
    });
  }
  set_num_threads(before);
}

TEST(Conv, NativeMatchesReferenceForFewChannels) {
  check_native({.n = 3, .ci = 1, .h = 28, .w = 28, .co = 20, .kh = 5, .kw = 5});
  check_native({.n = 2, .ci = 20, .h = 12, .w = 12, .co = 50, .kh = 5, .kw = 5});
  check_native(
      {.n = 2, .ci = 3, .h = 17, .w = 15, .co = 24, .kh = 7, .kw = 7, .stride = 2, .padding = 3});
}

TEST(Conv, NativeMatchesReferenceForOddShapes) {
  // Channels that do not fill whole vectors, for vectors of 4 to 16 lanes, as dot products.
  for (const std::int64_t co : {17, 18, 19, 20, 33})
    check_native({.n = 2,
                  .ci = 21,
                  .h = 9,
                  .w = 11,
                  .co = co,
                  .kh = 3,
                  .kw = 5,
                  .stride = co % 2 + 1,
                  .padding = 1});
  check_native({.n = 1, .ci = 1, .h = 1, .w = 1, .co = 1, .kh = 1, .kw = 1});
  check_native({.n = 1, .ci = 2, .h = 3, .w = 4, .co = 3, .kh = 3, .kw = 1});
  check_native(
      {.n = 2, .ci = 5, .h = 9, .w = 6, .co = 7, .kh = 2, .kw = 3, .stride = 3, .padding = 1});
  check_native(
      {.n = 1, .ci = 4, .h = 8, .w = 9, .co = 130, .kh = 3, .kw = 3, .stride = 2, .padding = 2});
  check_native({.n = 1,
                .ci = 3,
                .h = 11,
                .w = 8,
                .co = 6,
                .kh = 3,
                .kw = 2,
                .padding = 2,
                .dilation = 2,
                .dilation_w = 1});
  // The stride is larger than the kernel, so that the last pixels are not read.
  check_native({.n = 1, .ci = 3, .h = 8, .w = 8, .co = 6, .kh = 2, .kw = 2, .stride = 5});
}

TEST(Conv, NativeMatchesReferenceWithThreads) {
  const int before = get_num_threads();
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    check_native({.n = 9, .ci = 6, .h = 14, .w = 14, .co = 16, .kh = 5, .kw = 5, .padding = 2});
    check_native({.n = 1, .ci = 3, .h = 40, .w = 40, .co = 18, .kh = 3, .kw = 3, .padding = 1});
  }
  set_num_threads(before);
}

TEST(Conv, MatchesReferenceInTwoDimensions) {
  check_general(two_dimensional(
      {.n = 2, .ci = 16, .h = 9, .w = 7, .co = 32, .kh = 3, .kw = 3, .stride = 2, .padding = 1}));
  check_general(two_dimensional({.n = 2, .ci = 17, .h = 6, .w = 6, .co = 5, .kh = 1, .kw = 1}));
  check_general(two_dimensional({.n = 1,
                                 .ci = 12,
                                 .h = 9,
                                 .w = 9,
                                 .co = 18,
                                 .kh = 3,
                                 .kw = 3,
                                 .padding = 2,
                                 .dilation = 2,
                                 .groups = 3}));
  check_general(two_dimensional(
      {.n = 2, .ci = 32, .h = 8, .w = 8, .co = 32, .kh = 3, .kw = 3, .padding = 1, .groups = 32}));
}

TEST(Conv, SupportsDepthwiseGroups) {
  // Channels that do not fill vectors, one and three dimensions, and several slices of pixels.
  check_general(two_dimensional({.n = 3,
                                 .ci = 19,
                                 .h = 17,
                                 .w = 19,
                                 .co = 19,
                                 .kh = 3,
                                 .kw = 5,
                                 .stride = 2,
                                 .padding = 2,
                                 .dilation = 2,
                                 .groups = 19}));
  ConvParams c;
  c.spatial = 1;
  c.batch = 2, c.in_channels = c.out_channels = c.groups = 21;
  c.input[0] = 40, c.kernel[0] = 7, c.padding[0] = 6;
  c.output[0] = conv_output_size(c, 0);
  check_general(c);
  c.spatial = 3;
  c.input = {4, 5, 6}, c.kernel = {2, 3, 2}, c.padding = c.padding_end = {1, 0, 1};
  for (int i = 0; i < 3; ++i) c.output[static_cast<std::size_t>(i)] = conv_output_size(c, i);
  check_general(c);
}

TEST(Conv, SupportsGroups) {
  // Groups that share vectors, that fill one or two of them and more, and that do not; several
  // channels to one and back; strides, dilations and kernels that leave pixels of the input unread;
  // rows of several tiles, and images narrower than the kernel.
  const auto check_groups = [](std::int64_t groups, std::int64_t in, std::int64_t out, Sizes s) {
    s.ci = groups * in, s.co = groups * out, s.groups = groups;
    check_general(two_dimensional(s));
  };
  const Sizes small{.n = 2, .ci = 0, .h = 9, .w = 7, .co = 0, .kh = 3, .kw = 3, .padding = 1};
  for (const std::int64_t channels : {1, 2, 3, 4, 8, 16, 24, 32, 40})
    check_groups(channels < 16 ? 5 : 3, channels, channels, small);
  check_groups(6, 1, 3, small);
  check_groups(6, 3, 1, small);
  check_groups(3, 20, 9, small);
  for (const std::int64_t channels : {1, 4, 8, 16}) {
    check_groups(
        4, channels, channels,
        {.n = 1, .ci = 0, .h = 8, .w = 31, .co = 0, .kh = 3, .kw = 3, .stride = 2, .padding = 1});
    check_groups(4, channels, channels,
                 {.n = 1, .ci = 0, .h = 9, .w = 10, .co = 0, .kh = 2, .kw = 1, .stride = 3});
    check_groups(4, channels, channels,
                 {.n = 1, .ci = 0, .h = 3, .w = 2, .co = 0, .kh = 7, .kw = 7, .padding = 3});
    check_groups(4, channels, channels,
                 {.n = 1,
                  .ci = 0,
                  .h = 12,
                  .w = 13,
                  .co = 0,
                  .kh = 3,
                  .kw = 5,
                  .stride = 2,
                  .padding = 4,
                  .dilation = 3,
                  .dilation_w = 2});
    check_groups(4, channels, channels,
                 {.n = 2, .ci = 0, .h = 3, .w = 5, .co = 0, .kh = 1, .kw = 1, .padding = 1});
  }
}

TEST(Conv, ChoosesAnAlgorithm) {
  const auto chosen = [](const Sizes& s) {
    return std::string(conv_algorithm(two_dimensional(s)));
  };
  EXPECT_EQ(chosen({.n = 1, .ci = 3, .h = 8, .w = 8, .co = 16, .kh = 3, .kw = 3}), "native");
  EXPECT_EQ(chosen({.n = 1, .ci = 64, .h = 56, .w = 56, .co = 64, .kh = 3, .kw = 3}), "winograd");
  EXPECT_EQ(chosen({.n = 1, .ci = 64, .h = 8, .w = 8, .co = 64, .kh = 3, .kw = 3, .groups = 64}),
            "grouped");
  EXPECT_EQ(chosen({.n = 1, .ci = 256, .h = 8, .w = 8, .co = 64, .kh = 1, .kw = 1}), "columns");
}

TEST(Conv, SupportsAsymmetricPadding) {
  ConvParams c = two_dimensional({.n = 1, .ci = 8, .h = 7, .w = 6, .co = 9, .kh = 4, .kw = 2});
  c.padding = {1, 0, 0};
  c.padding_end = {2, 1, 0};
  for (int i = 0; i < 2; ++i) c.output[static_cast<std::size_t>(i)] = conv_output_size(c, i);
  EXPECT_EQ(c.output[0], 7);
  check_general(c);
  check(c, 2e-6, conv_native::forward, conv_native::backward_data, conv_native::backward_weights);
}

TEST(Conv, SupportsOneAndThreeDimensions) {
  ConvParams c;
  c.spatial = 1;
  c.batch = 2, c.in_channels = 6, c.out_channels = 10;
  c.input[0] = 13, c.kernel[0] = 4, c.stride[0] = 2, c.padding[0] = c.padding_end[0] = 1;
  c.output[0] = conv_output_size(c, 0);
  check_general(c);
  c.spatial = 3;
  c.input = {5, 6, 4}, c.kernel = {2, 3, 2}, c.stride = {1, 2, 1};
  c.padding = c.padding_end = {1, 0, 1};
  for (int i = 0; i < 3; ++i) c.output[static_cast<std::size_t>(i)] = conv_output_size(c, i);
  check_general(c);
}

TEST(Conv, DividesLongLines) {
  // Lines of several parts, whose last one is short and reads padding.
  ConvParams c;
  c.spatial = 1;
  c.batch = 2, c.in_channels = 3, c.out_channels = 5;
  c.input[0] = 1300, c.kernel[0] = 4, c.padding[0] = 2, c.padding_end[0] = 3;
  c.output[0] = conv_output_size(c, 0);
  check_general(c);
  c.batch = 1, c.in_channels = 2, c.out_channels = 3;
  c.stride[0] = 2, c.kernel[0] = 700, c.padding[0] = c.padding_end[0] = 690;
  c.output[0] = conv_output_size(c, 0);
  check_general(c);
}

void check_winograd(const Sizes& s) {
  const ConvParams c = two_dimensional(s);
  ASSERT_TRUE(conv_winograd::is_supported(c));
  // The transforms subtract, which enlarges the rounding error.
  test::for_each_target([&] {
    check(c, 5e-6, conv_winograd::forward, conv_winograd::backward_data,
          conv_winograd::backward_weights);
  });
}

TEST(Conv, WinogradMatchesReference) {
  // Sizes that are multiples of the tile, and that are not; one block of tiles, and several.
  check_winograd({.n = 2, .ci = 32, .h = 8, .w = 8, .co = 48, .kh = 3, .kw = 3, .padding = 1});
  check_winograd({.n = 3, .ci = 16, .h = 18, .w = 15, .co = 16, .kh = 3, .kw = 3});
  check_winograd({.n = 1, .ci = 80, .h = 3, .w = 5, .co = 16, .kh = 3, .kw = 3, .padding = 2});
  check_winograd({.n = 4, .ci = 16, .h = 21, .w = 22, .co = 80, .kh = 3, .kw = 3, .padding = 1});
  check_winograd({.n = 1, .ci = 144, .h = 7, .w = 6, .co = 144, .kh = 3, .kw = 3, .padding = 1});
}

TEST(Conv, DoesNotDependOnThreads) {
  // By Winograd, native kernels, products of columns, and grouped.
  for (const Sizes& s :
       {Sizes{.n = 3, .ci = 32, .h = 30, .w = 30, .co = 96, .kh = 3, .kw = 3, .padding = 1},
        Sizes{.n = 9, .ci = 3, .h = 21, .w = 20, .co = 18, .kh = 5, .kw = 5, .stride = 2},
        Sizes{.n = 3, .ci = 64, .h = 15, .w = 15, .co = 130, .kh = 3, .kw = 3, .stride = 2},
        Sizes{.n = 1,
        .ci = 64,
        .h = 40,
        .w = 41,
        .co = 64,
        .kh = 3,
        .kw = 3,
        .padding = 1,
        .groups = 64},
        Sizes{.n = 5, .ci = 48, .h = 20, .w = 20, .co = 96, .kh = 3, .kw = 3, .groups = 3}}) {
    const ConvParams c = two_dimensional(s);
    const auto x = random_values<float>(c.batch * product(c.input) * c.in_channels, 1);
    const auto w =
        random_values<float>(c.out_channels * (c.in_channels / c.groups) * s.kh * s.kw, 2);
    const auto g = random_values<float>(c.batch * product(c.output) * c.out_channels, 3);
    const int before = get_num_threads();
    std::vector<float> first;
    for (const int threads : {1, 2, 3, 8}) {
      set_num_threads(threads);
      std::vector<float> results(g.size() + x.size() + w.size());
      conv_forward(c, x.data(), w.data(), nullptr, results.data(), nullptr);
      conv_backward_data(c, g.data(), w.data(), results.data() + g.size(), nullptr);
      conv_backward_weights(c, x.data(), g.data(), results.data() + g.size() + x.size(), nullptr);
      if (threads == 1) first = results;
      EXPECT_EQ(results, first) << threads << " threads, " << c.in_channels << " channels in "
                                << c.groups << " groups";
    }
    set_num_threads(before);
  }
}

TEST(Conv, EmptyInput) {
  for (const Sizes& s : {Sizes{.n = 0, .ci = 2, .h = 4, .w = 4, .co = 3, .kh = 2, .kw = 2},
                         Sizes{.n = 1, .ci = 0, .h = 4, .w = 4, .co = 3, .kh = 2, .kw = 2}})
    check(two_dimensional(s), 2e-6, conv_forward, conv_backward_data, conv_backward_weights);
}

TEST(Conv, ThreadsShareWeightsAndCaches) {
  const ConvParams own =
      two_dimensional({.n = 2, .ci = 3, .h = 10, .w = 10, .co = 8, .kh = 3, .kw = 3});
  const ConvParams columns = two_dimensional(
      {.n = 1, .ci = 16, .h = 10, .w = 10, .co = 24, .kh = 3, .kw = 3, .stride = 2});
  for (const ConvParams& c : {own, columns}) {
    const auto x = random_values<float>(c.batch * product(c.input) * c.in_channels, 1);
    const auto w = random_values<float>(c.out_channels * c.in_channels * product(c.kernel), 2);
    const std::int64_t n = c.batch * product(c.output) * c.out_channels;
    std::vector<float> first(static_cast<std::size_t>(n));
    conv_forward(c, x.data(), w.data(), nullptr, first.data());
    PrepackedWeightCache shared;
    std::vector<std::thread> threads;
    std::vector<std::vector<float>> results(4, std::vector<float>(static_cast<std::size_t>(n)));
    for (auto& y : results)
      threads.emplace_back([&] {
        for (int round = 0; round < 5; ++round)
          conv_forward(c, x.data(), w.data(), nullptr, y.data(), &shared);
      });
    for (auto& t : threads) t.join();
    for (const auto& y : results) EXPECT_EQ(y, first);
  }
}

}  // namespace
}  // namespace taper::cpu
