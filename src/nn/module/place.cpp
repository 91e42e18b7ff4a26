// Errors that pass through calls of modules learn where they come from.
#include "nn/module/tree.h"
#include "taper/nn/call.h"

namespace taper::nn {

std::string describe(const Tensor& t) {
  return std::string(name_of(t.dtype())) + " " + t.shape().str();
}

namespace {

/// The path from `root` down to `wanted`; in angle brackets its class if it is not registered
/// there.
std::string path_to(Module& root, const void* wanted, const std::string& known) {
  std::string path;
  bool found = false;
  const NamedOptions options;
  Tree(options, true).descend(root, [&](Module& m, std::string_view at) {
    if (&m == wanted && !found) path = at, found = true;
  });
  if (!found) path = "?";
  if (known.empty()) return path;
  return Tree::joined(path, known);
}

std::string details_of(Module& module, const Tensor* const* inputs, std::size_t count) {
  std::string out =
      children_of(module, true).empty() ? module.str() : std::string(module.type_name());
  const char* separator = ", called with ";
  for (std::size_t i = 0; i < count; ++i) {
    if (!inputs[i] || !inputs[i]->defined()) continue;
    out += separator + describe(*inputs[i]);
    separator = ", ";
  }
  return out;
}

}  // namespace

void detail::note_place(Error& error, Module& module, const Tensor* const* inputs,
                        std::size_t count) noexcept {
  try {
    auto place = std::make_shared<ErrorPlace>();
    if (!error.place())
      place->details = details_of(module, inputs, count);
    else if (error.place()->module == &module)
      return;
    else
      *place = *error.place(), place->path = path_to(module, place->module, place->path);
    place->module = &module;
    place->text = std::string(error.message()) + "\n  in " +
                  (place->path.empty() ? "" : place->path + ": ") + place->details;
    error.set_place(std::move(place));
  } catch (...) {  // a place is a courtesy: the error itself must arrive
  }
}

}  // namespace taper::nn
