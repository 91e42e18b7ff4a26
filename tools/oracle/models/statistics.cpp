#include "models/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cases/outcome.h"
#include "taper/core/factory.h"
#include "taper/core/scalar.h"

namespace taper::oracle {
namespace {

constexpr std::int64_t kColumns = 11, kEnd = 4;  // kEnd: elements at each end

// Compensated sum (Neumaier), because the expected sums are rounded only once.
class Sum {
 public:
  void add(double x) {
    const double total = total_ + x;
    rest_ += std::abs(total_) >= std::abs(x) ? (total_ - total) + x : (x - total) + total_;
    total_ = total;
  }
  double value() const { return std::isfinite(total_) ? total_ + rest_ : total_; }

 private:
  double total_ = 0, rest_ = 0;
};

// Returns the row of one tensor.
std::array<double, kColumns> statistics_of(const Tensor& t) {
  std::array<double, kColumns> row{};
  const Tensor flat = t.detach().to(DType::f64).contiguous().view({-1});
  const auto x = flat.data<double>();
  Sum sum, absolute, squares;
  for (const double v : x) sum.add(v), absolute.add(std::abs(v)), squares.add(v * v);
  row[0] = sum.value(), row[1] = absolute.value(), row[2] = std::sqrt(squares.value());
  const std::size_t shown = std::min<std::size_t>(kEnd, x.size());
  for (std::size_t i = 0; i < shown; ++i) {
    row[3 + i] = x[i];
    row[3 + kEnd + i] = x[x.size() - shown + i];
  }
  return row;
}

}  // namespace

Tensor statistics(std::span<const Tensor> tensors) {
  const Tensor table =
      zeros({static_cast<std::int64_t>(tensors.size()), kColumns}, {.dtype = DType::f64});
  auto* at = table.data_ptr<double>();
  for (const Tensor& t : tensors) {
    const auto row = statistics_of(t);
    at = std::copy(row.begin(), row.end(), at);
  }
  return table;
}

Tensor gradient_statistics(std::span<const Tensor> parameters) {
  std::vector<Tensor> gradients;
  for (const Tensor& p : parameters)
    gradients.push_back(p.grad().defined() ? p.grad() : zeros({p.numel()}, {.dtype = p.dtype()}));
  return statistics(gradients);
}

void expect_statistics(Case& c, const std::string& what, const Tensor& actual,
                       const Tensor& expected, const Tensor& tolerance) {
  if (expected.dim() != 2 || expected.size(1) != kColumns || tolerance.dim() != 2 ||
      tolerance.size(0) != expected.size(0) || tolerance.size(1) != 4)
    throw MalformedCase("invalid table of statistics " + what);
  if (actual.shape() != expected.shape())
    return c.fail(what + ": got " + std::to_string(actual.size(0)) + " rows, expected " +
                  std::to_string(expected.size(0)));
  std::int64_t num_different = 0;
  std::string first;
  const auto got = actual.data<double>(), want = expected.data<double>(),
             limits = tolerance.data<double>();
  for (std::int64_t r = 0; r < expected.size(0); ++r)
    for (std::int64_t column = 0; column < kColumns; ++column) {
      const auto at = static_cast<std::size_t>(r * kColumns + column);
      const double limit =
          limits[static_cast<std::size_t>(r * 4 + std::min<std::int64_t>(column, 3))];
      if (got[at] == want[at] || std::abs(got[at] - want[at]) <= limit) continue;
      if (num_different++ == 0)
        first = "row " + std::to_string(r) + ", column " + std::to_string(column) + ": got " +
                python_repr(got[at]) + ", expected " + python_repr(want[at]) + ", tolerance " +
                python_repr(limit);
    }
  if (num_different)
    c.fail(what + ": " + std::to_string(num_different) + " entries differ; " + first);
}

}  // namespace taper::oracle
