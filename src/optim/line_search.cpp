#include "optim/line_search.h"

#include <array>
#include <cmath>
#include <utility>

namespace taper::optim {
namespace {

template <class F> TypedScalar apply_rounded(TypedScalar a, TypedScalar b, const F& f) {
  const auto dtype = a.dtype ? a.dtype : b.dtype;
  if (!dtype) return f(a.value, b.value);
  const TypedScalar x(a.value, *dtype), y(b.value, *dtype);
  return {f(x.value, y.value), *dtype};
}
template <class F> bool compare_rounded(TypedScalar a, TypedScalar b, const F& f) {
  const auto dtype = a.dtype ? a.dtype : b.dtype;
  if (!dtype) return f(a.value, b.value);
  return f(TypedScalar(a.value, *dtype).value, TypedScalar(b.value, *dtype).value);
}

// Return the first of equal numbers, as min and max in Python.
TypedScalar smaller(TypedScalar a, TypedScalar b) { return b < a ? b : a; }
TypedScalar larger(TypedScalar a, TypedScalar b) { return b > a ? b : a; }

struct Bounds {
  TypedScalar min, max;
};

/// Returns the minimum of the cubic polynomial with the values and slopes of two points, clamped to
/// the bounds; the midpoint of the bounds if the polynomial does not have a minimum.
/// PyTorch: torch.optim.lbfgs._cubic_interpolate.
TypedScalar cubic_minimum(const LineSearchPoint& a, const LineSearchPoint& b,
                          const Bounds& bounds) {
  const TypedScalar d1 = a.slope + b.slope - TypedScalar(3) * (a.loss - b.loss) / (a.t - b.t);
  const TypedScalar square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (bounds.min + bounds.max) / 2;
  const TypedScalar d2 = sqrt(square);
  const auto interpolate = [&](const LineSearchPoint& left, const LineSearchPoint& right) {
    return right.t - (right.t - left.t) * ((right.slope + d2 - d1) /
                                           (right.slope - left.slope + TypedScalar(2) * d2));
  };
  const TypedScalar minimum = a.t <= b.t ? interpolate(a, b) : interpolate(b, a);
  return smaller(larger(minimum, bounds.min), bounds.max);
}

Bounds bounds_of(const LineSearchPoint& a, const LineSearchPoint& b) {
  return {smaller(a.t, b.t), larger(a.t, b.t)};
}

constexpr double kDecrease = 1e-4, kCurvature = 0.9;  // constants of the Wolfe conditions
constexpr int kMaxIterations = 25;

/// Performs one line search: brackets a suitable point, then shrinks the bracket. Counters and
/// conditions are those of PyTorch, which follows lswolfe.lua of Lua Torch.
class StrongWolfeSearch {
 public:
  StrongWolfeSearch(const std::function<LineSearchPoint(TypedScalar t)>& evaluate,
                    const LineSearchPoint& start, TypedScalar direction_max,
                    double tolerance_change)
      : evaluate_(evaluate),
        start_(start),
        direction_max_(direction_max),
        tolerance_change_(tolerance_change) {}

  LineSearchResult run(TypedScalar t) {
    find_bracket(t);
    zoom();
    return {bracket_[low_], evaluations_};
  }

 private:
  LineSearchPoint evaluate_at(TypedScalar t) {
    ++evaluations_;
    return evaluate_(t);
  }
  bool violates_sufficient_decrease(const LineSearchPoint& p) const {
    return p.loss > start_.loss + TypedScalar(kDecrease) * p.t * start_.slope;
  }
  bool satisfies_curvature(const LineSearchPoint& p) const {
    return abs(p.slope) <= TypedScalar(-kCurvature) * start_.slope;
  }

  /// Sets the bracket to two points with a suitable point between them. If it encounters a suitable
  /// point, sets both ends of the bracket to it and ends the search.
  void find_bracket(TypedScalar t) {
    LineSearchPoint previous = start_;
    previous.t = 0;
    LineSearchPoint current = evaluate_at(t);
    for (; iterations_ < kMaxIterations; ++iterations_) {
      if (violates_sufficient_decrease(current) ||
          (iterations_ > 1 && current.loss >= previous.loss))
        return set_bracket(previous, current);
      if (satisfies_curvature(current)) {
        done_ = true;
        return set_bracket(current, current);
      }
      if (current.slope >= 0) return set_bracket(previous, current);
      const Bounds bounds{current.t + TypedScalar(0.01) * (current.t - previous.t),
                          current.t * TypedScalar(10)};
      const TypedScalar next = cubic_minimum(previous, current, bounds);
      previous = std::exchange(current, LineSearchPoint());
      current = evaluate_at(next);
    }
    LineSearchPoint origin = start_;
    origin.t = 0;
    set_bracket(origin, current);
  }

  void set_bracket(const LineSearchPoint& a, const LineSearchPoint& b) {
    bracket_ = {a, b};
    update_low_high();
  }
  void update_low_high() {
    low_ = bracket_[0].loss <= bracket_[1].loss ? 0 : 1;
    high_ = 1 - low_;
  }

  /// Returns the minimum of the cubic polynomial, moved away from the ends of the bracket if the
  /// search makes insufficient progress.
  TypedScalar next_trial_length() {
    const Bounds ends = bounds_of(bracket_[0], bracket_[1]);
    const TypedScalar t = cubic_minimum(bracket_[0], bracket_[1], ends);
    const TypedScalar margin = TypedScalar(0.1) * (ends.max - ends.min);
    const bool near_bracket_end = smaller(ends.max - t, t - ends.min) < margin;
    if (!near_bracket_end || !(insufficient_progress_ || t >= ends.max || t <= ends.min)) {
      insufficient_progress_ = near_bracket_end;
      return t;
    }
    insufficient_progress_ = false;
    return abs(t - ends.max) < abs(t - ends.min) ? ends.max - margin : ends.min + margin;
  }

  void zoom() {
    while (!done_ && iterations_ < kMaxIterations) {
      if (abs(bracket_[1].t - bracket_[0].t) * direction_max_ < tolerance_change_) return;
      const LineSearchPoint point = evaluate_at(next_trial_length());
      ++iterations_;
      if (violates_sufficient_decrease(point) || point.loss >= bracket_[low_].loss) {
        bracket_[high_] = point;
        update_low_high();
        continue;
      }
      if (satisfies_curvature(point))
        done_ = true;
      else if (point.slope * (bracket_[high_].t - bracket_[low_].t) >= 0)
        bracket_[high_] = bracket_[low_];
      bracket_[low_] = point;
    }
  }

  const std::function<LineSearchPoint(TypedScalar t)>& evaluate_;
  const LineSearchPoint& start_;
  TypedScalar direction_max_;
  double tolerance_change_;
  std::array<LineSearchPoint, 2> bracket_;
  std::size_t low_ = 0, high_ = 1;
  std::int64_t evaluations_ = 0;
  int iterations_ = 0;
  bool done_ = false, insufficient_progress_ = false;
};

}  // namespace

TypedScalar operator+(TypedScalar a, TypedScalar b) {
  return apply_rounded(a, b, [](double x, double y) { return x + y; });
}
TypedScalar operator-(TypedScalar a, TypedScalar b) {
  return apply_rounded(a, b, [](double x, double y) { return x - y; });
}
TypedScalar operator*(TypedScalar a, TypedScalar b) {
  return apply_rounded(a, b, [](double x, double y) { return x * y; });
}
TypedScalar operator/(TypedScalar a, TypedScalar b) {
  return apply_rounded(a, b, [](double x, double y) { return x / y; });
}
TypedScalar operator-(TypedScalar a) { return TypedScalar(0) - a; }
TypedScalar abs(TypedScalar a) {
  a.value = std::abs(a.value);
  return a;
}
TypedScalar sqrt(TypedScalar a) {
  a.value = a.round_to_dtype(std::sqrt(a.value));
  return a;
}
bool operator<(TypedScalar a, TypedScalar b) {
  return compare_rounded(a, b, [](double x, double y) { return x < y; });
}
bool operator<=(TypedScalar a, TypedScalar b) {
  return compare_rounded(a, b, [](double x, double y) { return x <= y; });
}

TypedScalar to_typed_scalar(const Tensor& t) { return {t.item().to_double(), t.dtype()}; }

LineSearchResult strong_wolfe(const std::function<LineSearchPoint(TypedScalar t)>& evaluate,
                              const LineSearchPoint& start, TypedScalar t,
                              TypedScalar direction_max, double tolerance_change) {
  return StrongWolfeSearch(evaluate, start, direction_max, tolerance_change).run(t);
}

}  // namespace taper::optim
