// Rows of the sweep: an op in C++ with its inputs. The same expression is evaluated in Python.
#pragma once
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "taper/taper.h"

namespace taper::bench {

/// Tensors and sizes that the expressions of rows name.
struct SweepInputs {
  Tensor x, y, z, w, b, i, j, m;
  std::int64_t n = 0, r = 0, c = 0;         ///< elements n = r c, rows and columns
  std::int64_t B = 0, C = 0, H = 0, W = 0;  ///< images: about n elements
  std::int64_t s = 0, d = 0, v = 0, L = 0;  ///< edges of matrices of products and decompositions,
                                            ///< rows of a table, length of sequences
};

void collect(const Tensor& t, std::vector<Tensor>& into);
inline void collect(bool, std::vector<Tensor>&) {}
inline void collect(const UniqueResult& u, std::vector<Tensor>& into) {
  for (const Tensor& t : {u.output, u.inverse_indices, u.counts}) collect(t, into);
}
template <class T> void collect(const std::vector<T>& list, std::vector<Tensor>& into) {
  for (const T& item : list) collect(item, into);
}
template <class T, class U> void collect(const std::pair<T, U>& items, std::vector<Tensor>& into) {
  collect(items.first, into), collect(items.second, into);
}
template <class... Ts> void collect(const std::tuple<Ts...>& items, std::vector<Tensor>& into) {
  std::apply([&](const Ts&... item) { (collect(item, into), ...); }, items);
}

/// A row: one op, compared with PyTorch at all sizes.
class SweepRow {
 public:
  /// Evaluates the expression, and appends the tensors of its value to `outs` unless it is null.
  using Function = void (*)(const SweepInputs& in, std::vector<Tensor>* outs);

  SweepRow(int tier, const char* inputs, const char* expression, Function function)
      : tier(tier), inputs(inputs), expression(expression), function(function) {}

  /// Also measures with these dtypes, such as "bf16 i64".
  SweepRow also(const char* names) && {
    return dtypes = std::string("f32 ") + names, std::move(*this);
  }
  /// Measures with these dtypes instead of float32.
  SweepRow only(const char* names) && { return dtypes = names, std::move(*this); }
  /// The expression in Python, if it cannot be derived from the one in C++.
  SweepRow python(const char* text) && { return python_text = text, std::move(*this); }
  /// Does not compare values: they are undefined or may differ.
  SweepRow any_value() && { return compared = false, std::move(*this); }
  /// Measures without gradients.
  SweepRow no_grad() && { return differentiable = false, std::move(*this); }
  /// Measures at the first `count` of the three sizes.
  SweepRow sizes(int count) && { return size_count = count, std::move(*this); }

  int tier;
  std::string inputs, expression;
  Function function;
  std::string dtypes = "f32", python_text{};
  bool compared = true, differentiable = true;
  int size_count = 3;
};

struct SweepFamily {
  std::string name;
  std::vector<SweepRow> rows;
};

/// Each returns the rows of a file of bench/sweep/rows.
SweepFamily activation_rows();
SweepFamily arithmetic_rows();
SweepFamily comparison_rows();
SweepFamily convolution_rows();
SweepFamily creation_rows();
SweepFamily decomposition_rows();
SweepFamily elementary_rows();
SweepFamily indexing_rows();
SweepFamily joining_rows();
SweepFamily loss_rows();
SweepFamily normalization_rows();
SweepFamily pooling_rows();
SweepFamily product_rows();
SweepFamily random_rows();
SweepFamily rearrange_rows();
SweepFamily reduction_rows();
SweepFamily scan_rows();
SweepFamily sort_rows();
SweepFamily spatial_rows();
SweepFamily special_rows();

}  // namespace taper::bench

/// A row: OP(tier, inputs, expression).
///
/// tier        1: any user meets the op within a week, 2: common, 3: rare
/// inputs      "x[r,c] y[c]=positive i[r,1]=index:c": name, shape of the sizes above or numbers,
/// and
///             values. Values are normal unless stated; see inputs.h. A trailing `~` excludes a
///             floating-point input from differentiation.
/// expression  in C++. For Python, `::` becomes `.`, braces become brackets, and designated
///             initializers become keyword arguments; see python_text().
#define OP(tier, inputs, ...)                                                                    \
  ::taper::bench::SweepRow(                                                                      \
      tier, inputs, #__VA_ARGS__,                                                                \
      [](const ::taper::bench::SweepInputs& sweep_inputs, std::vector<Tensor>* sweep_outs) {     \
        [[maybe_unused]] const auto& [x, y, z, w, b, i, j, m, n, r, c, B, C, H, W, s, d, v, L] = \
            sweep_inputs;                                                                        \
        decltype(auto) sweep_value = __VA_ARGS__;                                                \
        if (sweep_outs) ::taper::bench::collect(sweep_value, *sweep_outs);                       \
      })
