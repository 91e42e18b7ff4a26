// Window functions.
#include "taper/ops/window.h"

#include "cases/outcome.h"
#include "functions/table.h"
#include "taper/core/error.h"
#include "taper/core/tensor.h"

namespace taper::oracle {
namespace {

namespace windows = signal::windows;

struct Options {
  bool sym;
  TensorOptions tensor{};
};
Options read_options(Arguments& a, const char* symmetry = "sym") {
  Options o{a.boolean(symmetry, true)};
  o.tensor.dtype = a.optional_dtype("dtype");
  o.tensor.requires_grad = a.boolean("requires_grad", false);
  a.done();
  return o;
}

template <Tensor (*window)(IntArg, bool, const TensorOptions&)> Value plain(Arguments& a) {
  const std::int64_t m = a.integer("M");
  const Options o = read_options(a);
  return window(m, o.sym, o.tensor);
}
template <Tensor (*window)(IntArg, double, bool, const TensorOptions&)>
Value shaped(Arguments& a, const char* parameter, double value) {
  const std::int64_t m = a.integer("M");
  value = a.number(parameter, value);
  const Options o = read_options(a);
  return window(m, value, o.sym, o.tensor);
}
Value exponential(Arguments& a) {
  const std::int64_t m = a.integer("M");
  const std::optional<double> center = a.optional_number("center");
  const double tau = a.number("tau", 1.0);
  const Options o = read_options(a);
  return windows::exponential(m, center, tau, o.sym, o.tensor);
}
Value general_cosine(Arguments& a) {
  const std::int64_t m = a.integer("M");
  std::vector<double> coefficients;
  const Value list = a.value("a");
  if (!list.is_list() && !list.is_tuple()) throw TypeError("Coefficients must be a list");
  for (const Value& v : list.as_sequence()) coefficients.push_back(scalar_of(v).to_double());
  const Options o = read_options(a);
  return windows::general_cosine(m, coefficients, o.sym, o.tensor);
}

template <Tensor (*window)(IntArg, bool, const TensorOptions&)> Value periodic(Arguments& a) {
  const std::int64_t length = a.integer("window_length");
  const Options o = read_options(a, "periodic");
  return window(length, o.sym, o.tensor);
}

}  // namespace

void add_windows(FunctionTable& table) {
  const std::string prefix = "torch.signal.windows.";
  table[prefix + "bartlett"] = plain<windows::bartlett>;
  table[prefix + "blackman"] = plain<windows::blackman>;
  table[prefix + "cosine"] = plain<windows::cosine>;
  table[prefix + "hamming"] = plain<windows::hamming>;
  table[prefix + "hann"] = plain<windows::hann>;
  table[prefix + "nuttall"] = plain<windows::nuttall>;
  table[prefix + "exponential"] = exponential;
  table[prefix + "general_cosine"] = general_cosine;
  table[prefix + "gaussian"] = [](Arguments& a) { return shaped<windows::gaussian>(a, "std", 1); };
  table[prefix + "general_hamming"] = [](Arguments& a) {
    return shaped<windows::general_hamming>(a, "alpha", 0.54);
  };
  table[prefix + "kaiser"] = [](Arguments& a) { return shaped<windows::kaiser>(a, "beta", 12); };
  table["hann_window"] = periodic<hann_window>;
  table["bartlett_window"] = periodic<bartlett_window>;
  table["blackman_window"] = periodic<blackman_window>;
}

}  // namespace taper::oracle
