// Family programs: dispatch by the name of the program.
#include "models/programs/programs.h"

#include "cases/outcome.h"
#include "models/families.h"
#include "models/results.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

Value run_program(Case& c) {
  static const ModelKinds programs = {{"tour", run_tour},
                                      {"one_step", run_one_step},
                                      {"finetune_head", run_finetune_head},
                                      {"features", run_features},
                                      {"other_head", run_other_head},
                                      {"groups", run_groups}};
  const auto found = programs.find(c.text("program"));
  if (found == programs.end()) throw Unsupported("program " + c.text("program"));
  return found->second(c);
}

}  // namespace

ImageBatch::ImageBatch(Case& c) {
  Fields fields(c.at("input"));
  manual_seed(seed_of(fields.at("seed")));
  images = rand(fields.shape("shape"));
  num_classes = fields.at("classes").get<std::int64_t>();
  classes = randint(0, num_classes, {images.size(0)});
  fields.done();
}

void run_programs(Case& c) {
  static const ModelKinds kinds = {{"program", run_program}};
  run_model_kind(c, kinds);
}

}  // namespace taper::oracle
