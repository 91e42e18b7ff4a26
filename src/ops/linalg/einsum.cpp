// einsum: sums of products of labeled dimensions, contracted in pairs by batched matrix products.
#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "ops/forms.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

/// Label of a dimension: a letter, or a dimension of the ellipsis.
using Label = int;
using Labels = std::vector<Label>;
constexpr Label kEllipsis = 1000;  // the first dimension of the ellipsis

bool contains(const Labels& labels, Label l) {
  return std::find(labels.begin(), labels.end(), l) != labels.end();
}
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Parses a term such as "i...j", in which the ellipsis denotes `ellipsis` dimensions.
Labels parse_term(std::string_view term, Label ellipsis_end, std::size_t ellipsis,
                  std::string_view where) {
  Labels labels;
  bool seen = false;
  for (std::size_t i = 0; i < term.size(); ++i) {
    const char c = term[i];
    if (c == ' ') continue;
    if (is_letter(c)) {
      labels.push_back(c);
    } else if (c == '.') {
      if (seen || term.substr(i, 3) != "...")
        fail<ValueError>("einsum: found '.' for {} that is not part of any ellipsis", where);
      seen = true;
      i += 2;
      for (std::size_t d = 0; d < ellipsis; ++d)
        labels.push_back(ellipsis_end - static_cast<Label>(ellipsis - d));
    } else {
      fail<ValueError>("einsum: invalid subscript given at position {} in {}: '{}'", i, where,
                       term);
    }
  }
  return labels;
}

/// Number of letters and presence of an ellipsis in a term.
struct TermSize {
  std::int64_t letters = 0;
  bool ellipsis = false;
  explicit TermSize(std::string_view term) : ellipsis(term.find('.') != std::string_view::npos) {
    for (const char c : term) letters += is_letter(c);
  }
};

std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  for (;;) {
    const std::size_t comma = text.find(',');
    terms.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return terms;
    text.remove_prefix(comma + 1);
  }
}

/// Tensor whose dimensions have distinct labels.
struct Operand {
  Tensor value;
  Labels labels;
};

using Sizes = std::map<Label, std::int64_t>;

/// Replaces the dimensions of a repeated label by their diagonal, and removes dimensions of size 1
/// that are broadcast.
Operand prepare(Tensor x, const Labels& labels, const Sizes& sizes) {
  Operand o{std::move(x), labels};
  for (std::size_t i = 0; i < o.labels.size(); ++i)
    for (std::size_t j = o.labels.size(); j-- > i + 1;) {
      if (o.labels[j] != o.labels[i]) continue;
      const auto a = static_cast<std::int64_t>(i), b = static_cast<std::int64_t>(j);
      if (o.value.size(a) != o.value.size(b))
        fail<ShapeError>(
            "einsum: subscript {} is repeated for dimensions of sizes {} and {}, which do not "
            "match",
            std::string(1, static_cast<char>(o.labels[i])), o.value.size(a), o.value.size(b));
      o.value = o.value.diagonal(0, a, b).movedim(-1, a);
      o.labels.erase(o.labels.begin() + b);
    }
  for (std::size_t i = o.labels.size(); i-- > 0;) {
    const auto d = static_cast<std::int64_t>(i);
    if (o.value.size(d) != 1 || sizes.at(o.labels[i]) == 1) continue;
    o.value = o.value.squeeze(d);
    o.labels.erase(o.labels.begin() + d);
  }
  return o;
}

/// Sums the dimensions whose labels are not in `keep`.
void sum_out(Operand& o, const auto& is_kept) {
  Dims dims;
  Labels rest;
  for (std::size_t i = 0; i < o.labels.size(); ++i) {
    if (is_kept(o.labels[i]))
      rest.push_back(o.labels[i]);
    else
      dims.push_back(static_cast<std::int64_t>(i));
  }
  if (dims.empty()) return;
  o.value = o.value.sum(dims, false, o.value.dtype());
  o.labels = rest;
}

/// Returns the operand with its dimensions in the order of three groups of labels, each merged into
/// one dimension.
Tensor as_batch(const Operand& o, const Labels& first, const Labels& second, const Labels& third,
                const Sizes& sizes) {
  Shape order, merged;
  for (const Labels* group : {&first, &second, &third}) {
    std::int64_t size = 1;
    for (const Label l : *group) {
      order.push_back(std::find(o.labels.begin(), o.labels.end(), l) - o.labels.begin());
      size *= sizes.at(l);
    }
    merged.push_back(size);
  }
  return o.value.permute(order).reshape(merged);
}

/// Contracts two operands. Labels that occur in neither another operand nor the output are summed.
Operand contract(Operand a, Operand b, const auto& is_needed, const Sizes& sizes) {
  sum_out(a, [&](Label l) { return is_needed(l) || contains(b.labels, l); });
  sum_out(b, [&](Label l) { return is_needed(l) || contains(a.labels, l); });
  Labels batch, only_a, only_b, summed;
  for (const Label l : a.labels) {
    if (!contains(b.labels, l))
      only_a.push_back(l);
    else
      (is_needed(l) ? batch : summed).push_back(l);
  }
  for (const Label l : b.labels)
    if (!contains(a.labels, l)) only_b.push_back(l);
  Operand result;
  result.labels = batch;
  result.labels.insert(result.labels.end(), only_a.begin(), only_a.end());
  result.labels.insert(result.labels.end(), only_b.begin(), only_b.end());
  Shape shape;
  for (const Label l : result.labels) shape.push_back(sizes.at(l));
  const Tensor left = as_batch(a, batch, only_a, summed, sizes),
               right = as_batch(b, batch, summed, only_b, sizes);
  result.value = (summed.empty() ? left * right : left.bmm(right)).reshape(shape);
  return result;
}

/// Returns the number of multiplications that contracting two operands takes.
double cost(const Operand& a, const Operand& b, const Sizes& sizes) {
  double total = 1;
  for (const Label l : a.labels) total *= static_cast<double>(sizes.at(l));
  for (const Label l : b.labels)
    if (!contains(a.labels, l)) total *= static_cast<double>(sizes.at(l));
  return total;
}

/// Labels of the operands and of the output.
struct Equation {
  std::vector<Labels> inputs;
  Labels output;

  Equation(std::string_view text, std::span<const Tensor> operands);
};

Equation::Equation(std::string_view text, std::span<const Tensor> operands) {
  const std::size_t arrow = text.find("->");
  const auto terms = split_terms(text.substr(0, arrow));
  if (terms.size() != operands.size())
    fail<ValueError>(
        "einsum: {} operands were provided than specified in the equation: got {} for "
        "'{}'",
        operands.size() > terms.size() ? "more" : "fewer", operands.size(), text);
  std::vector<std::size_t> ellipses;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const TermSize size(terms[i]);
    const std::int64_t rest = operands[i].dim() - size.letters;
    if (size.ellipsis ? rest < 0 : rest != 0)
      fail<ShapeError>(
          "einsum: the number of subscripts in the equation ({}) does not match the number of "
          "dimensions ({}) for operand {}",
          size.letters, operands[i].dim(), i);
    ellipses.push_back(static_cast<std::size_t>(rest));
    longest = std::max(longest, ellipses.back());
  }
  const Label end = kEllipsis + static_cast<Label>(longest);
  std::map<Label, int> occurrences;
  bool any_ellipsis = false;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    any_ellipsis = any_ellipsis || TermSize(terms[i]).ellipsis;
    inputs.push_back(parse_term(terms[i], end, ellipses[i], "operand " + std::to_string(i)));
    for (const Label l : inputs.back()) ++occurrences[l];
  }
  if (arrow == std::string_view::npos) {
    for (std::size_t d = 0; d < longest; ++d)
      output.push_back(end - static_cast<Label>(longest - d));
    for (const auto& [label, count] : occurrences)
      if (label < kEllipsis && count == 1) output.push_back(label);
    return;
  }
  const std::string_view right = text.substr(arrow + 2);
  output =
      parse_term(right, end, TermSize(right).ellipsis && any_ellipsis ? longest : 0, "the output");
  for (std::size_t i = 0; i < output.size(); ++i) {
    const std::string name(1, static_cast<char>(output[i]));
    if (!occurrences.contains(output[i]))
      fail<ValueError>(
          "einsum: output subscript {} does not appear in the equation for any input operand",
          name);
    if (std::find(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(i), output[i]) !=
        output.begin() + static_cast<std::ptrdiff_t>(i))
      fail<ValueError>("einsum: output subscript {} appears more than once in the output", name);
  }
}

/// Returns the broadcast size of each label.
Sizes label_sizes(const Equation& equation, std::span<const Tensor> operands) {
  Sizes sizes;
  for (std::size_t i = 0; i < operands.size(); ++i)
    for (std::size_t d = 0; d < equation.inputs[i].size(); ++d) {
      const std::int64_t n = operands[i].shape()[d];
      std::int64_t& size = sizes.try_emplace(equation.inputs[i][d], n).first->second;
      if (size == 1) size = n;
      if (n != 1 && n != size)
        fail<ShapeError>(
            "einsum: operands do not broadcast with remapped shapes: dimension {} of operand {} "
            "has size {}, expected {}",
            d, i, n, size);
    }
  return sizes;
}

}  // namespace

Tensor einsum(std::string_view text, std::span<const Tensor> operands) {
  if (operands.empty()) fail<ValueError>("einsum: must provide at least one operand");
  const Equation equation(text, operands);
  const Sizes sizes = label_sizes(equation, operands);
  std::vector<Operand> terms;
  for (std::size_t i = 0; i < operands.size(); ++i)
    terms.push_back(prepare(operands[i], equation.inputs[i], sizes));
  while (terms.size() > 1) {
    // Greedy: the cheapest pair first; of equal ones, the first.
    std::size_t left = 0, right = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < terms.size(); ++i)
      for (std::size_t j = i + 1; j < terms.size(); ++j)
        if (const double c = cost(terms[i], terms[j], sizes); c < least)
          least = c, left = i, right = j;
    const auto is_needed = [&](Label l) {
      if (contains(equation.output, l)) return true;
      for (std::size_t i = 0; i < terms.size(); ++i)
        if (i != left && i != right && contains(terms[i].labels, l)) return true;
      return false;
    };
    Operand merged = contract(terms[left], terms[right], is_needed, sizes);
    terms[left] = std::move(merged);
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(right));
  }
  sum_out(terms[0], [&](Label l) { return contains(equation.output, l); });
  Shape order;
  for (const Label l : equation.output)
    order.push_back(std::find(terms[0].labels.begin(), terms[0].labels.end(), l) -
                    terms[0].labels.begin());
  return terms[0].value.permute(order);
}
Tensor einsum(std::string_view equation, std::initializer_list<Tensor> operands) {
  return einsum(equation, std::span(operands.begin(), operands.size()));
}

}  // namespace taper
