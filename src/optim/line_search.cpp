#include "optim/line_search.h"

#include <array>
#include <cmath>
#include <utility>

namespace taper::optim {
namespace {

template <class F> LineNumber computed(LineNumber a, LineNumber b, const F& f) {
  const auto dtype = a.dtype ? a.dtype : b.dtype;
  if (!dtype) return f(a.value, b.value);
  const LineNumber x(a.value, *dtype), y(b.value, *dtype);
  return {f(x.value, y.value), *dtype};
}
template <class F> bool compared(LineNumber a, LineNumber b, const F& f) {
  const auto dtype = a.dtype ? a.dtype : b.dtype;
  if (!dtype) return f(a.value, b.value);
  return f(LineNumber(a.value, *dtype).value, LineNumber(b.value, *dtype).value);
}

// Return the first of equal numbers, as min and max in Python.
LineNumber smaller(LineNumber a, LineNumber b) { return b < a ? b : a; }
LineNumber larger(LineNumber a, LineNumber b) { return b > a ? b : a; }

struct Bounds {
  LineNumber min, max;
};

/// Returns the minimum of the cubic polynomial with the values and slopes of two points, clamped to
/// the bounds; the midpoint of the bounds if the polynomial does not have a minimum.
/// PyTorch: torch.optim.lbfgs._cubic_interpolate.
LineNumber cubic_minimum(const LinePoint& a, const LinePoint& b, const Bounds& bounds) {
  const LineNumber d1 = a.slope + b.slope - LineNumber(3) * (a.loss - b.loss) / (a.t - b.t);
  const LineNumber square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (bounds.min + bounds.max) / 2;
  const LineNumber d2 = sqrt(square);
  const auto from = [&](const LinePoint& left, const LinePoint& right) {
    return right.t - (right.t - left.t) * ((right.slope + d2 - d1) /
                                           (right.slope - left.slope + LineNumber(2) * d2));
  };
  const LineNumber minimum = a.t <= b.t ? from(a, b) : from(b, a);
  return smaller(larger(minimum, bounds.min), bounds.max);
}

Bounds bounds_of(const LinePoint& a, const LinePoint& b) {
  return {smaller(a.t, b.t), larger(a.t, b.t)};
}

constexpr double kDecrease = 1e-4, kCurvature = 0.9;  // constants of the Wolfe conditions
constexpr int kMaxIterations = 25;

/// Performs one line search: brackets a suitable point, then shrinks the bracket. Counters and
/// conditions are those of PyTorch, which follows lswolfe.lua of Lua Torch.
class Search {
 public:
  Search(const std::function<LinePoint(LineNumber t)>& evaluate, const LinePoint& start,
         LineNumber direction_max, double tolerance_change)
      : evaluate_(evaluate),
        start_(start),
        direction_max_(direction_max),
        tolerance_change_(tolerance_change) {}

  LineResult run(LineNumber t) {
    bracket(t);
    zoom();
    return {bracket_[low_], evaluations_};
  }

 private:
  LinePoint evaluated(LineNumber t) {
    ++evaluations_;
    return evaluate_(t);
  }
  bool is_too_high(const LinePoint& p) const {
    return p.loss > start_.loss + LineNumber(kDecrease) * p.t * start_.slope;
  }
  bool is_flat(const LinePoint& p) const {
    return abs(p.slope) <= LineNumber(-kCurvature) * start_.slope;
  }

  /// Sets the bracket to two points with a suitable point between them. If it encounters a suitable
  /// point, sets both ends of the bracket to it and ends the search.
  void bracket(LineNumber t) {
    LinePoint previous = start_;
    previous.t = 0;
    LinePoint current = evaluated(t);
    for (; iterations_ < kMaxIterations; ++iterations_) {
      if (is_too_high(current) || (iterations_ > 1 && current.loss >= previous.loss))
        return set(previous, current);
      if (is_flat(current)) {
        done_ = true;
        return set(current, current);
      }
      if (current.slope >= 0) return set(previous, current);
      const Bounds bounds{current.t + LineNumber(0.01) * (current.t - previous.t),
                          current.t * LineNumber(10)};
      const LineNumber next = cubic_minimum(previous, current, bounds);
      previous = std::exchange(current, LinePoint());
      current = evaluated(next);
    }
    LinePoint origin = start_;
    origin.t = 0;
    set(origin, current);
  }

  void set(const LinePoint& a, const LinePoint& b) {
    bracket_ = {a, b};
    order();
  }
  void order() {
    low_ = bracket_[0].loss <= bracket_[1].loss ? 0 : 1;
    high_ = 1 - low_;
  }

  /// Returns the minimum of the cubic polynomial, moved away from the ends of the bracket if the
  /// search makes insufficient progress.
  LineNumber trial() {
    const Bounds ends = bounds_of(bracket_[0], bracket_[1]);
    const LineNumber t = cubic_minimum(bracket_[0], bracket_[1], ends);
    const LineNumber margin = LineNumber(0.1) * (ends.max - ends.min);
    const bool close = smaller(ends.max - t, t - ends.min) < margin;
    if (!close || !(insufficient_ || t >= ends.max || t <= ends.min)) {
      insufficient_ = close;
      return t;
    }
    insufficient_ = false;
    return abs(t - ends.max) < abs(t - ends.min) ? ends.max - margin : ends.min + margin;
  }

  void zoom() {
    while (!done_ && iterations_ < kMaxIterations) {
      if (abs(bracket_[1].t - bracket_[0].t) * direction_max_ < tolerance_change_) return;
      const LinePoint point = evaluated(trial());
      ++iterations_;
      if (is_too_high(point) || point.loss >= bracket_[low_].loss) {
        bracket_[high_] = point;
        order();
        continue;
      }
      if (is_flat(point))
        done_ = true;
      else if (point.slope * (bracket_[high_].t - bracket_[low_].t) >= 0)
        bracket_[high_] = bracket_[low_];
      bracket_[low_] = point;
    }
  }

  const std::function<LinePoint(LineNumber t)>& evaluate_;
  const LinePoint& start_;
  LineNumber direction_max_;
  double tolerance_change_;
  std::array<LinePoint, 2> bracket_;
  std::size_t low_ = 0, high_ = 1;
  std::int64_t evaluations_ = 0;
  int iterations_ = 0;
  bool done_ = false, insufficient_ = false;
};

}  // namespace

LineNumber operator+(LineNumber a, LineNumber b) {
  return computed(a, b, [](double x, double y) { return x + y; });
}
LineNumber operator-(LineNumber a, LineNumber b) {
  return computed(a, b, [](double x, double y) { return x - y; });
}
LineNumber operator*(LineNumber a, LineNumber b) {
  return computed(a, b, [](double x, double y) { return x * y; });
}
LineNumber operator/(LineNumber a, LineNumber b) {
  return computed(a, b, [](double x, double y) { return x / y; });
}
LineNumber operator-(LineNumber a) { return LineNumber(0) - a; }
LineNumber abs(LineNumber a) {
  a.value = std::abs(a.value);
  return a;
}
LineNumber sqrt(LineNumber a) {
  a.value = a.rounded(std::sqrt(a.value));
  return a;
}
bool operator<(LineNumber a, LineNumber b) {
  return compared(a, b, [](double x, double y) { return x < y; });
}
bool operator<=(LineNumber a, LineNumber b) {
  return compared(a, b, [](double x, double y) { return x <= y; });
}

LineNumber number_of(const Tensor& t) { return {t.item().to_double(), t.dtype()}; }

LineResult strong_wolfe(const std::function<LinePoint(LineNumber t)>& evaluate,
                        const LinePoint& start, LineNumber t, LineNumber direction_max,
                        double tolerance_change) {
  return Search(evaluate, start, direction_max, tolerance_change).run(t);
}

}  // namespace taper::optim
