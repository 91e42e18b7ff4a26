#include "kinds/dispatch.h"

#include "cases/outcome.h"
#include "dist/families.h"
#include "kinds/kinds.h"
#include "kit/families.h"
#include "models/families.h"
#include "training/families.h"

namespace taper::oracle {
namespace {

using Run = void (*)(Case&);

const std::map<std::string, Run>& layer_kinds() {
  static const std::map<std::string, Run> kinds = {{"functional", run_functional},
                                                   {"error", run_error},
                                                   {"layer", run_module},
                                                   {"loss", run_module},
                                                   {"init", run_module_init}};
  return kinds;
}

void run_layer_case(Case& c) {
  const std::string kind = c.text("kind");
  const auto found = layer_kinds().find(kind);
  if (found == layer_kinds().end()) throw MalformedCase("unknown kind '" + kind + "'");
  found->second(c);
}

const std::map<std::string, Run>& kit_families() {
  static const std::map<std::string, Run> families = {{"amp", run_amp},
                                                      {"events", run_events},
                                                      {"images", run_images},
                                                      {"samplers", run_samplers},
                                                      {"loader", run_loader},
                                                      {"metrics", run_metrics},
                                                      {"transforms", run_transforms}};
  return families;
}

const std::map<std::string, Run>& model_families() {
  static const std::map<std::string, Run> families = {
      {"generate", run_generate}, {"hf", run_hf},   {"vision", run_vision},
      {"cards", run_cards},       {"own", run_own}, {"programs", run_programs},
  };
  return families;
}

const std::map<std::string, Run>& dist_families() {
  static const std::map<std::string, Run> families = {{"collectives", run_collectives},
                                                      {"ddp", run_ddp},
                                                      {"zero", run_zero},
                                                      {"fsdp", run_fsdp},
                                                      {"tensor_parallel", run_tensor_parallel},
                                                      {"checkpoint", run_checkpoint},
                                                      {"elastic", run_elastic}};
  return families;
}

void run_family(const std::map<std::string, Run>& families, Case& c) {
  const auto found = families.find(c.file().family);
  if (found == families.end()) throw Unsupported("family " + c.file().family);
  found->second(c);
}

}  // namespace

void run_case(Case& c) {
  if (c.file().format == Format::layers) return run_layer_case(c);
  if (c.file().format == Format::kit) return run_family(kit_families(), c);
  if (c.file().format == Format::models) return run_family(model_families(), c);
  if (c.file().format == Format::dist) return run_family(dist_families(), c);
  static const std::map<std::string, Run> families = {
      {"rng", run_rng},           {"init", run_init},
      {"optim", run_optim},       {"sched", run_sched},
      {"curves", run_curve},      {"utils", run_utils},
      {"autograd", run_autograd}, {"distributions", run_distributions}};
  run_family(families, c);
}

}  // namespace taper::oracle
