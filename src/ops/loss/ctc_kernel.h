// Recursions over the alignments of one sample, shared by the kernels of ctc_loss and its gradient.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/check.h"
#include "ops/kernel/reference.h"

namespace taper::ctc {

/// Labels and lengths of all samples, checked against the sizes of the log-probabilities.
struct Samples {
  std::int64_t steps, count, classes, width;  ///< T, N, C, S
  std::int64_t blank;
  std::vector<std::int64_t> targets, input_lengths, target_lengths;

  /// Throws ValueError for a length or blank out of range, IndexError for a label that is not a
  /// class.
  Samples(const Shape& shape, const View& target, const View& input_length,
          const View& target_length, std::int64_t blank_label)
      : steps(shape[0]),
        count(shape[1]),
        classes(shape[2]),
        width((*target.shape)[1]),
        blank(blank_label),
        targets(elements(target)),
        input_lengths(elements(input_length)),
        target_lengths(elements(target_length)) {
    if (blank < 0 || blank >= classes)
      fail<ValueError>(
          "ctc_loss: blank must be in label range: got {}, expected a class in [0, {})", blank,
          classes);
    check_lengths(input_lengths, steps, "input_lengths");
    check_lengths(target_lengths, width, "target_lengths");
    for (std::int64_t n = 0; n < count; ++n)
      for (std::int64_t s = 0; s < target_lengths[pos(n)]; ++s)
        if (const std::int64_t label = targets[pos(n * width + s)]; label < 0 || label >= classes)
          fail<IndexError>("ctc_loss: target {} is out of bounds: expected a class in [0, {})",
                           label, classes);
  }

  /// Number of states of an alignment: the labels, and blanks around them.
  std::int64_t states() const { return 2 * width + 1; }
  std::int64_t states_of(std::int64_t n) const { return 2 * target_lengths[pos(n)] + 1; }
  /// Returns the class of a state of sample n.
  std::int64_t class_of(std::int64_t n, std::int64_t state) const {
    return state % 2 == 0 ? blank : targets[pos(n * width + state / 2)];
  }
  /// Returns true if an alignment can proceed from state - 2 to `state`, without a blank between.
  bool can_skip_to(std::int64_t n, std::int64_t state) const {
    return state > 1 && class_of(n, state) != class_of(n, state - 2);
  }

 private:
  static std::size_t pos(std::int64_t i) { return static_cast<std::size_t>(i); }
  static std::vector<std::int64_t> elements(const View& v) {
    std::vector<std::int64_t> all;
    kernel::walk<1>(*v.shape, {&v}, [&](const std::array<std::int64_t, 1>& at) {
      all.push_back(kernel::load<std::int64_t>(v.data + at[0], v.dtype));
    });
    return all;
  }
  static void check_lengths(const std::vector<std::int64_t>& lengths, std::int64_t max,
                            std::string_view name) {
    for (const std::int64_t length : lengths)
      if (length < 0 || length > max)
        fail<ValueError>("ctc_loss: Expected {} to have values between 0 and {}, but got value {}",
                         name, max, length);
  }
};

template <class T> constexpr T kNone = -std::numeric_limits<T>::infinity();

/// Returns log(exp(a) + exp(b) + exp(c)), of which the greatest is not computed.
template <class T> T log_sum(T a, T b, T c = kNone<T>) {
  if (a < b) std::swap(a, b);
  if (a < c) std::swap(a, c);
  if (b < c) std::swap(b, c);
  if (b == kNone<T> && c == kNone<T>) return a;
  const T others = c == kNone<T> ? std::exp(b - a) : std::exp(b - a) + std::exp(c - a);
  return std::log(1 + others) + a;
}

/// Computes the forward variables of sample n, and returns its loss. `log_prob(t, c)` returns an
/// input element, `alpha` points to T * (2 S + 1) elements, which are filled with -infinity first.
template <class T, class LogProb>
T forward(const Samples& s, std::int64_t n, LogProb log_prob, T* alpha) {
  const std::int64_t width = s.states(), states = s.states_of(n);
  const std::int64_t steps = s.input_lengths[static_cast<std::size_t>(n)];
  std::fill(alpha, alpha + s.steps * width, kNone<T>);
  if (steps == 0) return states == 1 ? T(0) : std::numeric_limits<T>::infinity();
  for (std::int64_t state = 0; state < std::min<std::int64_t>(2, states); ++state)
    alpha[state] = log_prob(0, s.class_of(n, state));
  for (std::int64_t t = 1; t < steps; ++t) {
    const T* const before = alpha + (t - 1) * width;
    T* const now = alpha + t * width;
    for (std::int64_t state = 0; state < states; ++state) {
      const T step = state > 0 ? before[state - 1] : kNone<T>;
      const T skip = s.can_skip_to(n, state) ? before[state - 2] : kNone<T>;
      now[state] = log_sum(before[state], step, skip) + log_prob(t, s.class_of(n, state));
    }
  }
  const T* const last = alpha + (steps - 1) * width;
  return -log_sum(last[states - 1], states > 1 ? last[states - 2] : kNone<T>);
}

/// Computes the gradient of sample n times `scale`. `write(t, c, value)` receives the elements.
template <class T, class LogProb, class Write>
void backward(const Samples& s, std::int64_t n, T loss, T scale, bool zero_infinity,
              LogProb log_prob, const T* alpha, Write write) {
  const std::int64_t width = s.states(), states = s.states_of(n);
  const bool is_zero = zero_infinity && loss == std::numeric_limits<T>::infinity();
  const std::int64_t steps = is_zero ? 0 : s.input_lengths[static_cast<std::size_t>(n)];
  std::vector<T> beta(static_cast<std::size_t>(states), kNone<T>), next = beta;
  // Logarithms of the probability of all alignments with class c at step t.
  std::vector<T> posterior(static_cast<std::size_t>(s.classes));
  const auto pos = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  for (std::int64_t t = steps; t-- > 0;) {
    std::swap(beta, next);
    std::fill(posterior.begin(), posterior.end(), kNone<T>);
    for (std::int64_t state = 0; state < states; ++state) {
      const std::int64_t c = s.class_of(n, state);
      T& b = beta[pos(state)];
      if (t + 1 == steps) {
        b = state + 2 >= states ? log_prob(t, c) : kNone<T>;
      } else {
        const T step = state + 1 < states ? next[pos(state + 1)] : kNone<T>;
        const T skip =
            state + 2 < states && s.can_skip_to(n, state + 2) ? next[pos(state + 2)] : kNone<T>;
        b = log_sum(next[pos(state)], step, skip) + log_prob(t, c);
      }
      posterior[pos(c)] = log_sum(posterior[pos(c)], alpha[t * width + state] + b);
    }
    for (std::int64_t c = 0; c < s.classes; ++c) {
      const T x = log_prob(t, c);
      write(t, c, (std::exp(x) - std::exp(posterior[pos(c)] + loss - x)) * scale);
    }
  }
  for (std::int64_t t = steps; t < s.steps; ++t)
    for (std::int64_t c = 0; c < s.classes; ++c) write(t, c, T(0));
}

}  // namespace taper::ctc
