// The engine "gloo": connections over TCP between processes.
#include "dist_engines/common/failure.h"
#include "dist_engines/common/signature_hash.h"
#include "dist_engines/gloo/collectives.h"
#include "dist_engines/gloo/message.h"

using taper::dist_engines::Counts;
using taper::dist_engines::GlooGroup;
using taper::dist_engines::GlooMessage;

struct taper_dist_group {
  std::shared_ptr<GlooGroup> gloo;
};

struct taper_dist_work {
  std::shared_ptr<GlooGroup> gloo;
  std::shared_ptr<GlooGroup::Task> task{};  ///< null for a message
  std::unique_ptr<GlooMessage> message{};   ///< null for a collective
};

namespace taper::dist_engines {
namespace {

enum class CollectiveKind : std::uint8_t {
  all_reduce,
  reduce,
  reduce_scatter,
  broadcast,
  all_gather,
  gather,
  scatter,
  all_to_all,
  barrier
};

/// Returns the hash of what is equal on all ranks.
SignatureHash signature_of(CollectiveKind kind, taper_dtype dtype = TAPER_U8) {
  return SignatureHash().add(static_cast<std::int64_t>(kind)).add(dtype);
}

template <class F> taper_dist_status start_collective(taper_dist_group* group,
                                                      const SignatureHash& signature,
                                                      taper_dist_work** work, F&& run) {
  return report_status([&] {
    GlooGroup& gloo = *group->gloo;
    auto task =
        gloo.enqueue(signature.value(),
                     [&gloo, run = std::forward<F>(run)](std::uint32_t tag) { run(gloo, tag); });
    *work = new taper_dist_work{.gloo = group->gloo, .task = std::move(task)};
    return TAPER_DIST_OK;
  });
}

taper_dist_status start_message(taper_dist_group* group, const MessageCall& call,
                                taper_dist_work** work) {
  return report_status([&] {
    *work = new taper_dist_work{.gloo = group->gloo,
                                .message = std::make_unique<GlooMessage>(group->gloo, call)};
    return TAPER_DIST_OK;
  });
}

std::int64_t nanoseconds_of(std::chrono::steady_clock::time_point time) {
  return std::chrono::nanoseconds(time.time_since_epoch()).count();
}

DType dtype_from(taper_dtype dtype) { return static_cast<DType>(dtype); }

Counts counts_of(const taper_dist_group* group, const std::int64_t* counts) {
  return {counts, counts + group->gloo->size()};
}

const taper_dist_engine& gloo_engine() {
  static const taper_dist_engine engine = {
      .version = TAPER_DIST_ABI_VERSION,
      .name = "gloo",
      .join = nullptr,
      .create =
          [](const taper_dist_rendezvous* rendezvous, int rank, int size,
             taper_dist_group** group) {
            return report_status([&] {
              *group = new taper_dist_group{std::make_shared<GlooGroup>(*rendezvous, rank, size)};
              return TAPER_DIST_OK;
            });
          },
      .destroy = [](taper_dist_group* group) { delete group; },
      .all_reduce =
          [](taper_dist_group* group, void* buffer, int64_t count, taper_dtype dtype,
             taper_dist_op op, taper_dist_work** work) {
            const auto signature =
                signature_of(CollectiveKind::all_reduce, dtype).add(count).add(op);
            return start_collective(group, signature, work, [=](GlooGroup& g, std::uint32_t tag) {
              gloo_all_reduce(g, tag, buffer, count, {dtype_from(dtype), op});
            });
          },
      .reduce =
          [](taper_dist_group* group, void* buffer, int64_t count, taper_dtype dtype,
             taper_dist_op op, int root, taper_dist_work** work) {
            const auto signature =
                signature_of(CollectiveKind::reduce, dtype).add(count).add(op).add(root);
            return start_collective(group, signature, work, [=](GlooGroup& g, std::uint32_t tag) {
              gloo_reduce(g, tag, buffer, count, {dtype_from(dtype), op}, root);
            });
          },
      .reduce_scatter =
          [](taper_dist_group* group, const void* send, void* receive, const int64_t* counts,
             taper_dtype dtype, taper_dist_op op, taper_dist_work** work) {
            auto signature = signature_of(CollectiveKind::reduce_scatter, dtype).add(op);
            Counts all = counts_of(group, counts);
            for (const std::int64_t count : all) signature.add(count);
            return start_collective(
                group, signature, work, [=, all = std::move(all)](GlooGroup& g, std::uint32_t tag) {
                  gloo_reduce_scatter(g, tag, send, receive, all, {dtype_from(dtype), op});
                });
          },
      .broadcast =
          [](taper_dist_group* group, void* buffer, int64_t count, taper_dtype dtype, int root,
             taper_dist_work** work) {
            const auto signature =
                signature_of(CollectiveKind::broadcast, dtype).add(count).add(root);
            return start_collective(group, signature, work, [=](GlooGroup& g, std::uint32_t tag) {
              gloo_broadcast(g, tag, buffer, bytes_of(count, dtype_from(dtype)), root);
            });
          },
      .all_gather =
          [](taper_dist_group* group, const void* send, void* receive, const int64_t* counts,
             taper_dtype dtype, taper_dist_work** work) {
            auto signature = signature_of(CollectiveKind::all_gather, dtype);
            Counts all = counts_of(group, counts);
            for (const std::int64_t count : all) signature.add(count);
            return start_collective(
                group, signature, work, [=, all = std::move(all)](GlooGroup& g, std::uint32_t tag) {
                  gloo_all_gather(g, tag, send, receive, all, dtype_from(dtype));
                });
          },
      .gather =
          [](taper_dist_group* group, const void* send, void* receive, const int64_t* counts,
             taper_dtype dtype, int root, taper_dist_work** work) {
            const auto signature = signature_of(CollectiveKind::gather, dtype).add(root);
            return start_collective(
                group, signature, work,
                [=, all = counts_of(group, counts)](GlooGroup& g, std::uint32_t tag) {
                  gloo_gather(g, tag, send, receive, all, dtype_from(dtype), root);
                });
          },
      .scatter =
          [](taper_dist_group* group, const void* send, void* receive, const int64_t* counts,
             taper_dtype dtype, int root, taper_dist_work** work) {
            const auto signature = signature_of(CollectiveKind::scatter, dtype).add(root);
            return start_collective(
                group, signature, work,
                [=, all = counts_of(group, counts)](GlooGroup& g, std::uint32_t tag) {
                  gloo_scatter(g, tag, send, receive, all, dtype_from(dtype), root);
                });
          },
      .all_to_all =
          [](taper_dist_group* group, const void* send, const int64_t* send_counts, void* receive,
             const int64_t* receive_counts, taper_dtype dtype, taper_dist_work** work) {
            return start_collective(
                group, signature_of(CollectiveKind::all_to_all, dtype), work,
                [=, sent = counts_of(group, send_counts),
                 received = counts_of(group, receive_counts)](GlooGroup& g, std::uint32_t tag) {
                  gloo_all_to_all(g, tag, send, sent, receive, received, dtype_from(dtype));
                });
          },
      .barrier =
          [](taper_dist_group* group, taper_dist_work** work) {
            return start_collective(group, signature_of(CollectiveKind::barrier), work,
                                    [](GlooGroup& g, std::uint32_t tag) { gloo_barrier(g, tag); });
          },
      .send =
          [](taper_dist_group* group, const void* buffer, int64_t count, taper_dtype dtype,
             int peer, int tag, taper_dist_work** work) {
            return start_message(
                group, {true, const_cast<void*>(buffer), count, dtype_from(dtype), peer, tag},
                work);
          },
      .receive =
          [](taper_dist_group* group, void* buffer, int64_t count, taper_dtype dtype, int peer,
             int tag, taper_dist_work** work) {
            return start_message(group, {false, buffer, count, dtype_from(dtype), peer, tag}, work);
          },
      .wait =
          [](taper_dist_work* work, double seconds) {
            return report_status([&] {
              const bool is_complete = work->task ? work->gloo->wait(*work->task, seconds)
                                                  : work->message->wait(seconds);
              return is_complete ? TAPER_DIST_OK : TAPER_DIST_TIMED_OUT;
            });
          },
      .source =
          [](const taper_dist_work* work) { return work->message ? work->message->source() : -1; },
      .times =
          [](const taper_dist_work* work, int64_t* begin, int64_t* end) {
            *begin = work->task ? nanoseconds_of(work->task->begin) : 0;
            *end = work->task ? nanoseconds_of(work->task->end) : 0;
          },
      .release =
          [](taper_dist_work* work) {
            if (work->task) work->gloo->cancel(*work->task);
            delete work;
          },
      .abort = [](taper_dist_group* group, const char* reason) { group->gloo->abort(reason); },
      .pending =
          [](taper_dist_work* work) {
            engine_text() = work->message ? work->message->pending() : "";
            return engine_text().c_str();
          },
      .explain = []() { return engine_text().c_str(); },
  };
  return engine;
}

}  // namespace
}  // namespace taper::dist_engines

extern "C" [[gnu::visibility("default")]] const taper_dist_engine* taper_dist_engine_table() {
  return &taper::dist_engines::gloo_engine();
}
