// GradFn: the public handle of a node.
#include "autograd/node.h"
#include "taper/autograd/autograd.h"

namespace taper {

std::string GradFn::name() const { return node_ ? node_->name() : std::string(); }

std::vector<std::pair<std::string, int>> GradFn::next_functions() const {
  std::vector<std::pair<std::string, int>> result;
  if (node_)
    for (const Edge& e : node_->edges())
      result.emplace_back(e.leaf   ? "AccumulateGrad"
                          : e.node ? e.node->name()
                                   : "",
                          static_cast<int>(e.output_nr));
  return result;
}

GradFn GradFn::next(std::size_t i) const {
  return node_ && i < node_->edges().size() ? GradFn(node_->edges()[i].node) : GradFn();
}

}  // namespace taper
