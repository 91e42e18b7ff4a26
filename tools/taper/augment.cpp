#include "augment.h"

#include <fmt/format.h>

#include <optional>

#include "literal.h"
#include "taper/core/error.h"
#include "taper/data/transforms/container.h"
#include "transform_factory.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {

taper::data::transforms::AnyTransform parse_transform(const std::string& text) {
  std::optional<taper::data::transforms::AnyTransform> result;
  try {
    static_cast<void>(parse_call(
        text, [&](const std::string& name, const taper::Values& args, const taper::Value& kwargs) {
          result = taper::tools::make_transform(name, args, kwargs);
          return taper::Value();
        }));
  } catch (const taper::Error& error) {
    throw UsageError(fmt::format("--augment '{}': {}", printable(text), error.what()));
  }
  if (!result)
    throw UsageError(
        fmt::format("--augment '{}': expected a transform, such as "
                    "RandomHorizontalFlip",
                    printable(text)));
  return *result;
}

void set_augmentations(training::Run& run, int workers) {
  std::vector<taper::data::transforms::AnyTransform> list;
  for (const std::string& text : run.settings().augmentations)
    list.push_back(parse_transform(text));
  if (list.empty()) return;
  const taper::data::transforms::Compose all(std::move(list));
  const taper::Shape shape = run.examples().train_images[0].shape();
  run.set_augmentation(
      [all, shape](const taper::Tensor& image) {
        taper::Tensor result = all(image);
        if (!(result.shape() == shape))
          throw taper::ShapeError(fmt::format("--augment: expected an image of shape {}, got {}",
                                              shape.str(), result.shape().str()));
        return result;
      },
      workers);
}

}  // namespace taper::cli
