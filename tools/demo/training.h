// Training run of the demo: LeNet on the digits.
#pragma once
#include <string>

#include "digits.h"
#include "lenet/lenet.h"
#include "run.h"
#include "settings.h"

namespace demo {

inline Examples make_examples(const Digits& digits) {
  return {digits.train_images(), digits.test_images(), digits.train_labels(), digits.test_labels()};
}

class Training : public Run {
 public:
  Training(const Settings& settings, const Digits& digits)
      : Run(settings, make_examples(digits), make) {}
  Training(const std::string& checkpoint, const Digits& digits)
      : Run(checkpoint, make_examples(digits), make, "this demo") {}
  lenet::LeNet& net() { return static_cast<lenet::LeNet&>(module()); }

 private:
  static std::shared_ptr<taper::nn::Module> make() { return std::make_shared<lenet::LeNet>(); }
};

}  // namespace demo
