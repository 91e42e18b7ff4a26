#include "network.h"

#include <algorithm>
#include <limits>

#include "core/check.h"
#include "stopwatch.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/dist/dist.h"
#include "taper/ops/linalg.h"

namespace planning {
namespace {

namespace distributed = taper::distributed;
using taper::Tensor;
using Kind = MeasuredCollective::Kind;

constexpr std::int64_t kSizes[] = {1 << 10, 1 << 14, 1 << 18, 1 << 20, 1 << 22};  // of float32
constexpr std::int64_t kOverlapSize = 1 << 21;
constexpr int kOverlapRepetitions = 8;
constexpr std::int64_t kMatrixSize = 256;
constexpr double kMinRate = 0.01;

void execute(Kind kind, const Tensor& buffer, const Tensor& part) {
  switch (kind) {
    case Kind::all_reduce: distributed::all_reduce(buffer); return;
    case Kind::all_gather: distributed::all_gather_into_tensor(buffer, part); return;
    case Kind::broadcast: distributed::broadcast(buffer, 0); return;
  }
}

/// Returns the median time of a collective on `size` elements, the mean over ranks.
double seconds_of(Kind kind, std::int64_t size) {
  const int ranks = distributed::get_world_size();
  const std::int64_t part = std::max<std::int64_t>(size / ranks, 1);
  const Tensor buffer = taper::zeros({part * ranks}), mine = taper::zeros({part});
  const int repetitions = size > 1 << 20 ? 5 : 15;
  std::vector<double> times;
  for (int i = -1; i < repetitions; ++i) {  // the first is not counted
    distributed::barrier();
    const Stopwatch clock;
    execute(kind, buffer, mine);
    if (i >= 0) times.push_back(clock.seconds());
  }
  return mean_over_ranks(median_of(std::move(times)));
}

/// Multiplies matrices until `is_done`. Returns the number of products and the seconds.
template <class F> std::pair<double, double> multiply_until(F&& is_done) {
  const Tensor a = taper::ones({kMatrixSize, kMatrixSize});
  double count = 0;
  const Stopwatch clock;
  do {
    static_cast<void>(taper::mm(a, a));
    ++count;
  } while (!is_done());
  return {count, clock.seconds()};
}

OverlapRates measure_overlap() {
  const Tensor buffer = taper::zeros({kOverlapSize});
  std::vector<double> computation, communication;
  for (int i = -1; i < kOverlapRepetitions; ++i) {  // the first is not counted
    distributed::barrier();
    const Stopwatch clock;
    distributed::all_reduce(buffer);
    const double alone = clock.seconds();
    distributed::barrier();
    const Stopwatch before;
    const auto [products, seconds] = multiply_until([&] { return before.seconds() > alone; });
    distributed::barrier();
    const distributed::Work work = distributed::all_reduce(buffer, {.async_op = true});
    const auto [overlapped, time] = multiply_until([&] { return work.is_completed(); });
    work.wait();
    if (i < 0) continue;
    computation.push_back(overlapped / time / (products / seconds));
    communication.push_back(alone / time);
  }
  const auto rate = [](std::vector<double> values) {
    return std::clamp(mean_over_ranks(median_of(std::move(values))), kMinRate, 1.0);
  };
  return {rate(std::move(computation)), rate(std::move(communication))};
}

}  // namespace

double mean_over_ranks(double value) {
  const Tensor t = taper::tensor(std::vector<double>{value});
  distributed::all_reduce(t, {.op = distributed::ReduceOp::avg});
  return t.item<double>();
}

std::string_view name_of(Kind kind) {
  constexpr std::string_view names[] = {"all_reduce", "all_gather", "broadcast"};
  return names[static_cast<std::size_t>(kind)];
}

Cost cost_of(Kind kind, const Cluster& cluster, double bytes) {
  switch (kind) {
    case Kind::all_reduce: return all_reduce_cost(cluster, bytes);
    case Kind::all_gather: return all_gather_cost(cluster, bytes);
    case Kind::broadcast: break;
  }
  return broadcast_cost(cluster, bytes);
}

Link fit_link(const std::vector<MeasuredCollective>& collectives, const Cluster& cluster) {
  // seconds = x * latency + y / bandwidth, where x and y are costs with one of them only.
  Cluster latency_only = cluster, bytes_only = cluster;
  latency_only.network = latency_only.inside = {1, std::numeric_limits<double>::infinity()};
  bytes_only.network = bytes_only.inside = {0, 1};
  double xx = 0, xy = 0, yy = 0, x1 = 0, y1 = 0;
  for (const MeasuredCollective& c : collectives) {
    const double x = cost_of(c.kind, latency_only, c.bytes).seconds / c.seconds;
    const double y = cost_of(c.kind, bytes_only, c.bytes).seconds / c.seconds;
    xx += x * x, xy += x * y, yy += y * y, x1 += x, y1 += y;
  }
  const double determinant = xx * yy - xy * xy;
  if (!(determinant > 1e-12 * xx * yy))
    taper::fail<taper::ValueError>(
        "fit_link: {} collectives do not determine latency and bandwidth", collectives.size());
  const double latency = (x1 * yy - y1 * xy) / determinant;
  const double inverse_bandwidth = (y1 * xx - x1 * xy) / determinant;
  // Neither can be negative: the other one then explains all of the time.
  if (latency < 0) return {0, yy / y1};
  if (!(inverse_bandwidth > 0)) return {x1 / xx, std::numeric_limits<double>::infinity()};
  return {latency, 1 / inverse_bandwidth};
}

Network measure_network(const Cluster& cluster) {
  const taper::NoGrad no_grad;
  Network network;
  for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::broadcast})
    for (const std::int64_t size : kSizes)
      network.collectives.push_back(
          {kind, 4.0 * static_cast<double>(size), seconds_of(kind, size)});
  network.link = fit_link(network.collectives, cluster);
  network.rates = measure_overlap();
  return network;
}

}  // namespace planning
