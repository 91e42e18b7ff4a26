#include "training/optim_errors.h"

#include <map>

#include "cases/outcome.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "training/optimizers.h"

namespace taper::oracle {
namespace {

/// Parser result of `Name(first, a=1, b=(0.9, 1.0))  # remark`.
struct OptimizerCall {
  std::string name, first;
  Options options;
};

std::string trim_spaces(std::string s) {
  const auto begin = s.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return s.substr(begin, s.find_last_not_of(' ') - begin + 1);
}

/// Returns the parts of `text` between commas that are not enclosed in parentheses or brackets.
std::vector<std::string> split_arguments(const std::string& text) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char ch : text) {
    depth += ch == '(' || ch == '[';
    depth -= ch == ')' || ch == ']';
    if (ch == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += ch;
  }
  for (std::string& part : parts) part = trim_spaces(part);
  return parts;
}

Value parse_literal(const std::string& text) {
  if (text == "True" || text == "False") return text == "True";
  if (text.front() == '(') {
    Values items;
    for (const std::string& item : split_arguments(text.substr(1, text.size() - 2)))
      items.push_back(parse_literal(item));
    return Value::tuple(std::move(items));
  }
  const Json number = Json::parse(text, nullptr, false);
  if (number.is_number_integer()) return number.get<std::int64_t>();
  if (number.is_number_float()) return number.get<double>();
  throw MalformedCase("unknown literal " + text);
}

/// Parses a call. One that is described in words ("LBFGS with two groups") has only a name.
OptimizerCall parse_call(const std::string& text) {
  const std::string code = trim_spaces(text.substr(0, text.find('#')));
  const auto open = code.find('(');
  OptimizerCall call{code.substr(0, code.find_first_of("(. :")), {}, {}};
  if (open != call.name.size() || code.back() != ')') return call;
  for (const std::string& part : split_arguments(code.substr(open + 1, code.size() - open - 2))) {
    const auto equals = part.find('=');
    if (equals == std::string::npos)
      call.first = part;
    else
      call.options[part.substr(0, equals)] = parse_literal(part.substr(equals + 1));
  }
  return call;
}

Tensor parameter() { return zeros({2, 2}, {.requires_grad = true}); }

void load_other_groups(std::size_t groups, std::size_t params) {
  const auto make = [](std::size_t groups_of_one, std::size_t params_in_group) {
    std::vector<optim::ParamGroup> list;
    for (std::size_t g = 0; g < groups_of_one; ++g) {
      std::vector<Tensor> group_params{parameter()};
      for (std::size_t i = 1; i < params_in_group; ++i) group_params.push_back(parameter());
      list.emplace_back(group_params);
    }
    return make_optimizer("SGD", std::move(list), {});
  };
  make(1, 1)->load_state_dict(make(groups, params)->state_dict());
}

/// Returns the functions that make the calls, by the text or the first argument of a call. A null
/// function represents a call that the compiler rejects.
using CallHandler = void (*)(const OptimizerCall& call);
const std::map<std::string, CallHandler>& call_handlers() {
  static const std::map<std::string, CallHandler> table = {
      {"[p]", [](const OptimizerCall& c) { make_optimizer(c.name, {parameter()}, c.options); }},
      {"", [](const OptimizerCall& c) { make_optimizer(c.name, {parameter()}, c.options); }},
      {"{p}", [](const OptimizerCall& c) { make_optimizer(c.name, {parameter()}, c.options); }},
      {"[]",
       [](const OptimizerCall& c) { make_optimizer(c.name, std::vector<Tensor>{}, c.options); }},
      {"[p, p]",
       [](const OptimizerCall& c) {
         const Tensor p = parameter();
         make_optimizer(c.name, {p, p}, c.options);
       }},
      {"[{params:[p]},{params:[p]}]",
       [](const OptimizerCall& c) {
         const std::vector<Tensor> p{parameter()};
         make_optimizer(c.name, {optim::ParamGroup(p), optim::ParamGroup(p)}, c.options);
       }},
      {"[non-leaf]",
       [](const OptimizerCall& c) { make_optimizer(c.name, {parameter() * 2}, c.options); }},
      {"LBFGS with two groups",
       [](const OptimizerCall&) {
         make_optimizer("LBFGS",
                        {optim::ParamGroup({parameter()}), optim::ParamGroup({parameter()})}, {});
       }},
      {"LBFGS.step() without closure",
       [](const OptimizerCall&) { make_optimizer("LBFGS", {parameter()}, {})->step(); }},
      {"Muon of a vector",
       [](const OptimizerCall&) {
         make_optimizer("Muon", {zeros({2}, {.requires_grad = true})}, {});
       }},
      {"p", nullptr},
      {"[3.0]", nullptr},
      {"load_state_dict: group of another size",
       [](const OptimizerCall&) { load_other_groups(1, 2); }},
      {"load_state_dict: another number of groups",
       [](const OptimizerCall&) { load_other_groups(2, 1); }}};
  return table;
}

void run_row(Case& c, const std::string& text, const OptimizerCall& call, bool is_valid) {
  auto found = call_handlers().find(text);
  if (found == call_handlers().end()) found = call_handlers().find(call.first);
  if (found == call_handlers().end()) throw MalformedCase("unknown call " + text);
  if (!found->second) return;
  try {
    found->second(call);
    if (!is_valid) c.fail(text + " was not rejected");
  } catch (const Error& error) {
    if (is_valid) c.fail(text + " was rejected: " + error.what());
  }
}

}  // namespace

void run_optim_errors(Case& c) {
  std::string unsupported_name;
  for (const Json& row : c.at("rows")) {
    for (const auto& [field, value] : row.items())
      if (field != "call" && field != "type" && field != "text")
        throw MalformedCase("unknown field '" + field + "' of a row");
    const auto text = row.at("call").get<std::string>();
    const OptimizerCall call = parse_call(text);
    if (has_optimizer(call.name) || call.name == "load_state_dict")
      run_row(c, text, call, row.at("type").is_null());
    else if (unsupported_name.empty())
      unsupported_name = "optim." + call.name;
  }
  if (!unsupported_name.empty() && c.failures().empty()) throw Unsupported(unsupported_name);
}

}  // namespace taper::oracle
