#include "sweep/inputs.h"

#include <charconv>
#include <cmath>
#include <list>
#include <sstream>
#include <stdexcept>

#include "core/dtype_table.h"

namespace taper::bench {

const char* const kSweepSizeNames[kSweepSizes] = {"1e3", "1e5", "1e7"};

std::map<char, std::int64_t> sweep_sizes(int size) {
  constexpr std::int64_t kSizes[kSweepSizes][10] = {
      {8, 128, 1, 4, 16, 16, 32, 16, 64, 256},
      {200, 512, 2, 16, 56, 56, 192, 64, 1000, 3136},
      {10000, 1024, 16, 64, 100, 100, 1024, 256, 10000, 10000}};
  std::map<char, std::int64_t> sizes;
  const std::string names = "rcBCHWsdvL";
  for (std::size_t k = 0; k < names.size(); ++k) sizes[names[k]] = kSizes[size][k];
  sizes['n'] = sizes['r'] * sizes['c'];
  return sizes;
}

namespace {

// Parses a size: a number or the name of a size, times or over further ones ("2*c", "c/2").
std::int64_t parse_size(std::string_view text, const std::map<char, std::int64_t>& sizes) {
  std::int64_t value = 1;
  char operation = '*';
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("*/"), text.size());
    std::int64_t factor = 0;
    if (const auto found = sizes.find(text[0]); end == 1 && found != sizes.end())
      factor = found->second;
    else
      std::from_chars(text.data(), text.data() + end, factor);
    if (factor == 0) throw std::logic_error("sweep: malformed size: " + std::string(text));
    value = operation == '*' ? value * factor : value / factor;
    if (end == text.size()) break;
    operation = text[end];
    text.remove_prefix(end + 1);
  }
  return value;
}

// Removes and returns the part of `text` after the last `separator`; empty if there is none.
std::string cut(std::string& text, char separator) {
  const std::size_t at = text.rfind(separator);
  if (at == std::string::npos) return {};
  std::string tail = text.substr(at + 1);
  text.resize(at);
  return tail;
}

InputSpec parse_input(std::string text, DType dtype, const std::map<char, std::int64_t>& sizes) {
  const std::string word = text;
  InputSpec spec;
  if (text.ends_with('~')) spec.differentiable = false, text.pop_back();
  spec.values = cut(text, '=');
  if (const std::string bound = cut(spec.values, ':'); !bound.empty())
    spec.bound = parse_size(bound, sizes);
  if (spec.values.empty()) spec.values = "normal";
  if (spec.values == "index" || spec.values == "order") dtype = DType::i64;
  if (const std::string name = cut(text, '@'); !name.empty()) {
    const auto found = find_dtype(&DTypeNames::brief, name);
    if (!found) throw std::logic_error("sweep: unknown dtype in " + word);
    dtype = *found;
  }
  spec.dtype = dtype;
  if (text.size() < 3 || text[1] != '[' || text.back() != ']')
    throw std::logic_error("sweep: malformed input " + word);
  spec.name = text[0];
  std::istringstream dims(text.substr(2, text.size() - 3));
  for (std::string dim; std::getline(dims, dim, ',');) spec.shape.push_back(parse_size(dim, sizes));
  spec.differentiable = spec.differentiable && is_floating_point(dtype);
  return spec;
}

Tensor draw_integers(const InputSpec& s) {
  if (s.dtype == DType::bool_)
    return s.values == "ones" ? ones(s.shape, {.dtype = s.dtype}) : rand(s.shape) < 0.5;
  if (s.values == "index") return randint(s.bound, s.shape, {.dtype = s.dtype});
  if (s.values == "order") return randperm(s.shape[0], {.dtype = s.dtype});
  if (s.values == "ones") return ones(s.shape, {.dtype = s.dtype});
  const bool positive = s.values == "positive" || s.values == "uniform";
  const Tensor drawn = randint(positive ? 1 : -100, positive ? 10 : 100, s.shape);
  const Tensor t = drawn.to(s.dtype);
  return s.values == "sorted" ? t.sort().first : t;
}

Tensor draw_floats(const InputSpec& s) {
  const std::int64_t last = s.shape.empty() ? 1 : s.shape[s.shape.size() - 1];
  if (s.values == "uniform") return rand(s.shape);
  if (s.values == "positive") return rand(s.shape) + 0.5;
  if (s.values == "unit") return rand(s.shape) * 1.8 - 0.9;
  if (s.values == "sorted") return rand(s.shape).sort().first;
  if (s.values == "ones") return ones(s.shape);
  if (s.values == "zeros") return zeros(s.shape);
  const Tensor normal = randn(s.shape);
  if (s.values == "spd") return normal.matmul(normal.mT()) / static_cast<double>(last) + eye(last);
  if (s.values == "dominant") return normal / static_cast<double>(last) + eye(last);
  if (s.values == "probabilities") return normal.softmax(-1);
  if (s.values == "nan") return normal.masked_fill(normal > 1.28, std::nan(""));
  if (s.values != "normal") throw std::logic_error("sweep: unknown values " + s.values);
  return normal;
}

// Tensors drawn last, by description and number among equal ones. Consecutive rows have equal
// inputs, and drawing costs more than most ops.
Tensor draw(const InputSpec& s, int ordinal) {
  struct Drawn {
    std::string key;
    Tensor tensor;
  };
  static std::list<Drawn> last_drawn;
  constexpr std::size_t kKept = 6;
  std::string key = s.values + std::to_string(s.bound) + "/" + std::to_string(ordinal) + "/" +
                    std::string(names_of(s.dtype).brief);
  for (const std::int64_t size : s.shape) key += "," + std::to_string(size);
  for (auto drawn = last_drawn.begin(); drawn != last_drawn.end(); ++drawn)
    if (drawn->key == key) {
      last_drawn.splice(last_drawn.begin(), last_drawn, drawn);
      return last_drawn.front().tensor;
    }
  manual_seed(static_cast<std::uint64_t>(ordinal));
  last_drawn.push_front(
      {key, is_floating_point(s.dtype) ? draw_floats(s).to(s.dtype) : draw_integers(s)});
  if (last_drawn.size() > kKept) last_drawn.pop_back();
  return last_drawn.front().tensor;
}

}  // namespace

std::vector<InputSpec> parse_inputs(const std::string& text, DType dtype, int size) {
  const std::map<char, std::int64_t> sizes = sweep_sizes(size);
  std::vector<InputSpec> specs;
  std::istringstream words(text);
  for (std::string word; words >> word;) specs.push_back(parse_input(word, dtype, sizes));
  return specs;
}

Tensor& input_named(SweepInputs& in, char name) {
  const std::string names = "xyzwbijm";
  Tensor* const tensors[] = {&in.x, &in.y, &in.z, &in.w, &in.b, &in.i, &in.j, &in.m};
  const std::size_t at = names.find(name);
  if (at == std::string::npos)
    throw std::logic_error("sweep: no input is called " + std::string(1, name));
  return *tensors[at];
}

SweepInputs draw_inputs(const std::vector<InputSpec>& specs, int size, bool requires_grad) {
  SweepInputs in;
  std::map<char, std::int64_t> sizes = sweep_sizes(size);
  const std::pair<char, std::int64_t*> targets[] = {
      {'n', &in.n}, {'r', &in.r}, {'c', &in.c}, {'B', &in.B}, {'C', &in.C}, {'H', &in.H},
      {'W', &in.W}, {'s', &in.s}, {'d', &in.d}, {'v', &in.v}, {'L', &in.L}};
  for (const auto& [name, target] : targets) *target = sizes.at(name);
  for (std::size_t k = 0; k < specs.size(); ++k) {
    Tensor t = draw(specs[k], static_cast<int>(k)).detach();
    if (requires_grad && specs[k].differentiable) t.set_requires_grad();
    input_named(in, specs[k].name) = t;
  }
  return in;
}

}  // namespace taper::bench
