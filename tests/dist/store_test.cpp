// The key-value store in which processes find each other.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <random>
#include <thread>

#include "dist/store/client.h"
#include "dist/store/server.h"
#include "dist/support.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::error_text;

Launch rank_of_job(int rank, int size, const std::string& job = "job/0") {
  Launch launch;
  launch.rank = rank, launch.size = size, launch.job = job;
  return launch;
}

/// A store of two ranks on a free port.
struct StoreTest : testing::Test {
  StoreServer server{{"127.0.0.1", 0}, "job/0", 2};
  Endpoint endpoint{"127.0.0.1", server.port()};

  StoreClient client(int rank) { return {endpoint, rank_of_job(rank, 2), 5}; }
  std::string greeting_error(const Launch& launch, double seconds = 0.2) {
    return error_text([&] { StoreClient(endpoint, launch, seconds); });
  }
};

TEST_F(StoreTest, SetsAndGets) {
  StoreClient a = client(0), b = client(1);
  const std::string bytes("\0\xff value", 8);
  a.set("key", bytes);
  EXPECT_EQ(b.get("key", 1), bytes);
  b.set("key", "");
  EXPECT_EQ(a.get("key", 1), "");
  EXPECT_EQ(a.address(), "127.0.0.1");
}

TEST_F(StoreTest, GetWaitsForTheValue) {
  StoreClient a = client(0), b = client(1);
  std::thread setter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    b.set("late", "x");
  });
  EXPECT_EQ(a.get("late", 10), "x");
  setter.join();
}

TEST_F(StoreTest, GetEndsAfterItsTime) {
  StoreClient a = client(0);
  const auto begin = StoreClock::now();
  EXPECT_EQ(a.get("never", 0.1), std::nullopt);
  EXPECT_EQ(a.get("never", 0), std::nullopt);
  EXPECT_GE(StoreClock::now() - begin, std::chrono::milliseconds(100));
  EXPECT_LT(StoreClock::now() - begin, std::chrono::seconds(5));
}

TEST_F(StoreTest, AddsAtomically) {
  StoreClient a = client(0), b = client(1);
  std::thread other([&] {
    for (int i = 0; i < 200; ++i) b.add("n", 1);
  });
  for (int i = 0; i < 200; ++i) a.add("n", 2);
  other.join();
  EXPECT_EQ(a.add("n", -600), 0);
}

TEST_F(StoreTest, ReportsRanksThatEnded) {
  StoreClient a = client(0);
  {
    StoreClient b = client(1);
    StoreClient observer(endpoint, rank_of_job(1, 2), 1, true);
    EXPECT_TRUE(a.departed().empty());
  }
  while (a.departed().empty()) std::this_thread::yield();
  EXPECT_EQ(a.departed(), std::vector{1});
  {
    StoreClient b = client(1);  // a rank that returns
    EXPECT_TRUE(a.departed().empty());
    b.set_takes_part(false);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(a.departed().empty());
}

TEST_F(StoreTest, RejectsOtherJobsAndRanks) {
  StoreClient a = client(1);
  EXPECT_TRUE(contains(greeting_error(rank_of_job(0, 3)),
                       "rank 0 expects a job of 3 ranks, rank 0 one of 2"));
  EXPECT_TRUE(contains(greeting_error(rank_of_job(1, 2)), "two processes have rank 1"));
  EXPECT_TRUE(contains(greeting_error(rank_of_job(2, 2)), "rank 2 does not exist"));
  EXPECT_TRUE(contains(greeting_error(rank_of_job(0, 2, "job/1")),
                       "it belongs to the job 'job/0', expected 'job/1'"));
}

TEST(StoreClient, ReportsServersThatCannotBeReached) {
  const Descriptor unused = listen_at({"127.0.0.1", 0});
  Endpoint endpoint{"127.0.0.1", port_of(unused)};
  EXPECT_TRUE(contains(error_text([&] { StoreClient(endpoint, rank_of_job(0, 2), 0.2); }),
                       "does not answer"));
  endpoint.port = 1;
  EXPECT_EQ(error_text([&] { StoreClient(endpoint, rank_of_job(0, 2), 0.1); }),
            "cannot connect to rank 0 at 127.0.0.1:1: Connection refused");
  endpoint.host = "host.invalid";
  EXPECT_TRUE(contains(error_text([&] { StoreClient(endpoint, rank_of_job(0, 2), 0.1); }),
                       "cannot connect to rank 0 at host.invalid:1: "));
}

TEST_F(StoreTest, ReportsAPortInUse) {
  EXPECT_EQ(error_text([&] { StoreServer(endpoint, "job/0", 2); }),
            "rank 0 cannot listen at " + endpoint.str() + ": Address already in use");
}

TEST(StoreClient, ReportsTheEndOfRankZero) {
  auto server = std::make_unique<StoreServer>(Endpoint{"127.0.0.1", 0}, "job/0", 2);
  StoreClient a({"127.0.0.1", server->port()}, rank_of_job(1, 2), 1);
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    server = nullptr;
  });
  EXPECT_TRUE(contains(error_text([&] { a.get("never", 60); }), "lost the connection to rank 0"));
  stopper.join();
  EXPECT_TRUE(contains(error_text([&] { a.set("a", "b"); }), "lost the connection to rank 0"));
}

TEST_F(StoreTest, ClosesConnectionsOfOtherPrograms) {
  StoreClient a = client(0);
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string text = i == 0   ? "GET / HTTP/1.1\r\n\r\n"
                       : i == 1 ? std::string(4, '\0')
                                : std::string(random() % 60, '\0');
    if (i > 1)
      for (char& c : text) c = static_cast<char>(random());
    // A valid length makes the server read the rest.
    if (i % 2 && text.size() > 5) {
      text[0] = static_cast<char>(text.size() - 4), text[1] = text[2] = text[3] = 0;
      text[4] = static_cast<char>(random() % 8);
    }
    const Descriptor socket = connect_to(endpoint, deadline_after(5));
    ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
  }
  // Parts of a greeting, then the end.
  MessageWriter hello(0);
  hello.string(kStoreMagic).string("job/0").number(1).number(2).number(0);
  const std::string text = hello.framed();
  for (std::size_t n = 0; n < text.size(); n += 7) {
    const Descriptor socket = connect_to(endpoint, deadline_after(5));
    ::send(socket.get(), text.data(), n, MSG_NOSIGNAL);
  }
  a.set("key", "x");
  EXPECT_EQ(a.get("key", 1), "x");
  EXPECT_EQ(client(1).get("key", 1), "x");
}

TEST_F(StoreTest, LingersUntilOthersHaveLeft) {
  StoreClient a = client(0);
  auto b = std::make_unique<StoreClient>(endpoint, rank_of_job(1, 2), 1.0);
  b->set("key", "x");
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    b = nullptr;
  });
  server.linger(10);
  other.join();
  EXPECT_EQ(b, nullptr);
}

}  // namespace
}  // namespace taper::distributed
