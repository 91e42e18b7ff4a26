#include "autograd/exec_info.h"

#include <algorithm>

namespace taper {

ExecInfo::ExecInfo(std::span<const Tensor> roots, std::span<const Tensor> inputs, bool capture,
                   NodeSet& visited)
    : captured_(inputs.size()) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Edge e = edge_of(impl(inputs[i]));
    if (!e) continue;
    Target& target = targets_[e.target()];
    if (capture)
      target.captures.push_back({e.output_nr, i});
    else if (e.leaf)
      target.execute = true;
  }
  for (const Tensor& r : roots)
    if (const Edge e = edge_of(impl(r)); e.node) visited.insert(*e.node);
  for (std::size_t i = 0; i < visited.size(); ++i)
    for (const Edge& e : visited[i].edges())
      if (e.node) visited.insert(*e.node);
  // In ascending order of sequence numbers, the targets of a node's edges come before the node.
  std::vector<Node*> nodes;
  for (std::size_t i = 0; i < visited.size(); ++i) nodes.push_back(&visited[i]);
  visited.clear();
  std::sort(nodes.begin(), nodes.end(),
            [](const Node* a, const Node* b) { return a->sequence_nr < b->sequence_nr; });
  for (const Node* n : nodes)
    if (std::ranges::any_of(n->edges(), [&](const Edge& e) { return e && needs(e); }))
      targets_[n].execute = true;
}

bool ExecInfo::capture(const void* target, std::span<const Tensor> grads) {
  const Target& t = targets_.at(target);
  for (const Capture& c : t.captures) captured_[c.input] = grads[c.output_nr];
  return t.execute;
}

}  // namespace taper
