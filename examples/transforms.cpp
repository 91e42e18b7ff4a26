// The examples of docs/transforms.md; examples/python/transforms.py prints the same output.
#include <cstdint>
#include <cstdio>
#include <utility>

#include <taper/data/data.h>
#include <taper/data/transforms/transforms.h>
#include <taper/taper.h>

using namespace taper;
namespace v2 = data::transforms;

v2::Compose training_transform() {
  return v2::Compose({v2::RandomResizedCrop({24, 24}), v2::RandomHorizontalFlip(),
                      v2::ColorJitter({.brightness = 0.2, .saturation = 0.2}),
                      v2::ToDtype(float32, true),
                      v2::Normalize({0.5, 0.5, 0.5}, {0.25, 0.25, 0.25})});
}

struct LabeledImages {
  Tensor images, labels;
  v2::Compose transform;

  std::int64_t size() const { return images.size(0); }
  std::pair<Tensor, Tensor> get(std::int64_t i) const { return {transform(images[i]), labels[i]}; }
};

void print(const Tensor& x) {
  std::printf("%s %.3f %.3f\n", x.shape().str().c_str(), x.to(float32).mean().item<double>(),
              x.to(float32).std().item<double>());
}

int main() {
  manual_seed(0);
  const LabeledImages dataset{randint(256, {8, 3, 32, 32}, {.dtype = uint8}), arange(8),
                              training_transform()};
  print(dataset.get(0).first);

  const v2::MixUp mix({.alpha = 0.4, .num_classes = 8});
  data::DataLoader loader(dataset, {.batch_size = 4, .shuffle = true});
  for (auto& [images, labels] : loader) {
    const auto [mixed, shares] = mix(images, labels);
    print(mixed);
    print(shares);
  }

  // Crops an image and its mask to the same box.
  const Tensor image = dataset.images[0], mask = image > 127;
  const v2::RandomCrop crop({20, 20});
  const Value params = crop.make_params({image}, default_generator());
  print(crop.transform(image, params));
  print(crop.transform(mask, params));

  // Five crops of an image as a batch.
  print(v2::ToDtype(float32, true)(stack(v2::functional::five_crop(image, {28, 28}))));
}
