// GroupContext: a context of Gloo whose waits end when its group is aborted.
#pragma once
#include <gloo/rendezvous/context.h>
#include <gloo/transport/context.h>

#include <memory>

namespace taper::dist_engines {

class GlooGroup;

/// Context of a group. When a connection ends, Gloo does not tell the buffer that has received or
/// sent a part of a message, which would wait forever. After `watch`, all buffers of the context,
/// including those of Gloo's collectives, are registered in the group, and their waits throw
/// std::runtime_error if the group is aborted.
class GroupContext final : public gloo::rendezvous::Context {
 public:
  using Context::Context;

  /// Registers the buffers that are created from now on. Called after the ranks are connected.
  void watch(GlooGroup& group);
  /// Returns the connections, whose buffers are not registered.
  gloo::transport::Context& connections() const { return *connections_; }

 private:
  std::shared_ptr<gloo::transport::Context> connections_;
};

}  // namespace taper::dist_engines
