// Loading the state of modules: everything is looked at first, then everything is copied.
#include "nn/module/extra.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/error.h"
#include "taper/core/warning.h"

namespace taper::nn {
namespace {

constexpr std::string_view kExtraState = "_extra_state";

/// Own parameters, then own persistent buffers.
struct OwnState final : Walker {
  std::vector<std::pair<std::string_view, Tensor>> entries, buffers;
  explicit OwnState(Module& m) {
    m.walk(*this);
    for (auto& b : buffers) entries.push_back(std::move(b));
  }
  void parameter(const ParameterSlot& s) override {
    if (s.value) entries.emplace_back(s.name, *s.value);
  }
  void buffer(const BufferSlot& s) override {
    if (s.value && s.value->persistent) buffers.emplace_back(s.name, *s.value);
  }
  bool has(std::string_view name) const {
    for (const auto& e : entries)
      if (e.first == name) return true;
    return false;
  }
};

std::string size_text(const Tensor& t) { return "torch.Size(" + t.shape().str() + ")"; }

class Loader {
 public:
  Loader(const Value& state, IncompatibleKeys& keys) : state_(state.as_dict().copy()), keys_(keys) {
    for (const auto& [key, v] : dict())
      if (!key.is_string())
        throw TypeError("load_state_dict: got a key of type " + key.type_name() + " expected str");
    metadata_ = dict().attribute("_metadata");
  }

  void run(Module& root, bool strict) {
    std::string prefix;
    collect(root, prefix);
    if (matched_ != dict().size()) find_unexpected(root, prefix);
    std::vector<std::string> report;
    if (strict) {
      report_keys(report, "Missing", keys_.missing_keys);
      report_keys(report, "Unexpected", keys_.unexpected_keys);
    }
    if (report.empty() && errors_.empty()) commit();
    report.insert(report.end(), errors_.begin(), errors_.end());
    if (report.empty()) return;
    std::string text = "Error(s) in loading state_dict for " + std::string(root.type_name()) + ":";
    for (const std::string& line : report) text += "\n\t" + line;
    throw RuntimeError(text);
  }

 private:
  Dict& dict() const { return state_.as_dict(); }

  void collect(Module& m, std::string& prefix) {
    const Descent guard(m, "load_state_dict");
    const Value none;
    const std::string_view name(prefix.data(), prefix.empty() ? 0 : prefix.size() - 1);
    const Value* local =
        metadata_ && metadata_->is_dict() ? metadata_->as_dict().find(name) : nullptr;
    const std::size_t before = keys_.missing_keys.size();
    LoadState state{
        dict(),  prefix, local ? *local : none, keys_.missing_keys, keys_.unexpected_keys,
        errors_, copies_};
    m.load_from_state_dict(state);
    matched_ += OwnState(m).entries.size() - (keys_.missing_keys.size() - before);
    if (m.class_info().sets_extra_state) {
      const std::string key = prefix + std::string(kExtraState);
      if (const Value* extra = std::as_const(dict()).find(key))
        extras_.push_back({&m, *extra}), ++matched_;
      else
        keys_.missing_keys.push_back(key);
    }
    for (const NamedModule& c : children_of(m, false)) {
      const std::size_t length = prefix.size();
      prefix += c.name + ".";
      collect(*c.module, prefix);
      prefix.resize(length);
    }
  }

  void find_unexpected(Module& m, std::string& prefix) {
    struct Names final : Walker {
      std::vector<std::string_view> children;  // None counts as known
      void child(const ChildSlot& s) override { children.push_back(s.name); }
    } names;
    m.walk(names);
    const OwnState own(m);
    const std::string extra = prefix + std::string(kExtraState);
    if (!m.class_info().sets_extra_state && dict().contains(extra))
      keys_.unexpected_keys.push_back(extra);
    for (const auto& [key, v] : dict()) {
      const std::string& full = key.as_string();
      if (full == extra || full.compare(0, prefix.size(), prefix) != 0) continue;
      const std::string_view rest = std::string_view(full).substr(prefix.size());
      const std::size_t dot = rest.find('.');
      bool known = false;
      if (dot == std::string_view::npos)
        known = own.has(rest);
      else
        for (std::string_view child : names.children) known = known || child == rest.substr(0, dot);
      if (!known) keys_.unexpected_keys.push_back(full);
    }
    for (const NamedModule& c : children_of(m, false)) {
      const std::size_t length = prefix.size();
      prefix += c.name + ".";
      find_unexpected(*c.module, prefix);
      prefix.resize(length);
    }
  }

  static void report_keys(std::vector<std::string>& report, const char* kind,
                          const std::vector<std::string>& keys) {
    if (keys.empty()) return;
    std::string line = std::string(kind) + " key(s) in state_dict: ";
    for (std::size_t i = 0; i < keys.size(); ++i) line += (i ? ", \"" : "\"") + keys[i] + "\"";
    report.push_back(line + ". ");
  }

  void commit() {
    const NoGrad guard;
    for (const LoadState::Copy& c : copies_) {
      try {
        c.target.copy_(c.source);
      } catch (const Error& e) {
        errors_.push_back("While copying the parameter named \"" + c.key +
                          "\", whose dimensions in the model are " + size_text(c.target) +
                          " and whose dimensions in the checkpoint are " + size_text(c.source) +
                          ", an exception occurred : " + Value::tuple({e.message()}).repr() + ".");
      }
    }
    for (auto& [module, extra] : extras_) module->set_extra_state(extra);
  }

  Value state_;
  const Value* metadata_;
  IncompatibleKeys& keys_;
  std::vector<std::string> errors_;
  std::vector<LoadState::Copy> copies_;
  std::vector<std::pair<Module*, Value>> extras_;
  std::size_t matched_ = 0;
};

}  // namespace

std::optional<std::int64_t> LoadState::version() const {
  if (!metadata.is_dict()) return std::nullopt;
  const Value* v = metadata.find("version");
  return v ? std::optional(v->as_int()) : std::nullopt;
}
std::string LoadState::key(std::string_view name) const {
  return std::string(prefix) + std::string(name);
}

void Module::load_from_state_dict(LoadState& state) {
  for (const auto& [name, tensor] : OwnState(*this).entries) {
    std::string key = state.key(name);
    const Value* input = std::as_const(state.state).find(key);
    if (!input) {
      state.missing_keys.push_back(std::move(key));
      continue;
    }
    if (!input->is_tensor()) {
      state.errors.push_back("While copying the parameter named \"" + key +
                             "\", expected torch.Tensor or Tensor-like object from checkpoint but "
                             "received " +
                             input->class_text());
      continue;
    }
    Tensor source = input->as_tensor();
    // Files older than PyTorch 0.4 hold scalars as tensors of one element.
    if (tensor.dim() == 0 && source.dim() == 1 && source.size(0) == 1) source = source.select(0, 0);
    if (!(source.shape() == tensor.shape())) {
      state.errors.push_back(
          "size mismatch for " + key + ": copying a param with shape " + size_text(source) +
          " from checkpoint, the shape in current model is " + size_text(tensor) + ".");
      continue;
    }
    if (tensor.device().is_meta() && !source.device().is_meta()) {
      warn(
          "for " + key +
          ": copying from a non-meta parameter in the checkpoint to a meta parameter in the "
          "current "
          "model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the "
          "state "
          "dictionary to their corresponding key in the module instead of copying them in place?)");
      continue;
    }
    state.copies.push_back({std::move(key), tensor, std::move(source)});
  }
}

IncompatibleKeys Module::load_state_dict(const Value& state, const LoadOptions& options) {
  if (!state.is_dict())
    throw TypeError("Expected state_dict to be dict-like, got " + state.class_text() + ".");
  IncompatibleKeys keys;
  Loader(state, keys).run(*this, options.strict);
  return keys;
}

}  // namespace taper::nn
