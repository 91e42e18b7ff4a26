// A tagger with a bidirectional LSTM that restores punctuation: it receives the words of a verse
// without marks and in lower case, and tags each word with the mark that follows it. The text is
// the one that the command `bible` of Debian's package bible-kjv prints (`./dev setup examples`).
// examples/python/lstm_tagger.py prints the same output.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <taper/taper.h>

#include <CLI/CLI.hpp>

using namespace taper;

const std::string kMarks = " ,.:;?!";  // the tags; a space: no mark

// Words and the marks after them.
struct Verse {
  std::vector<std::string> words;
  std::vector<std::int64_t> marks;

  void add(const std::string& token) {
    std::string word;
    for (const char c : token)
      if (std::isalpha(static_cast<unsigned char>(c)) || c == '-' || c == '\'')
        word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (word.empty()) return;
    const auto mark = kMarks.find(token.back());
    words.push_back(word);
    marks.push_back(mark == std::string::npos ? 0 : static_cast<std::int64_t>(mark));
  }
  std::string with_marks(const std::vector<std::int64_t>& tags) const {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
      text += (i == 0 ? "" : " ") + words[i];
      if (tags[i] != 0) text += kMarks[static_cast<std::size_t>(tags[i])];
    }
    return text;
  }
};

// A verse begins with two spaces and its number, and continues up to an empty line or another one.
std::vector<Verse> read_verses(const std::string& path) {
  std::stringstream text;
  if (!path.empty()) {
    text << std::ifstream(path).rdbuf();
  } else if (std::FILE* pipe = popen("bible gen1:1-rev22:21 </dev/null", "r")) {
    for (int c = std::getc(pipe); c != EOF; c = std::getc(pipe)) text.put(static_cast<char>(c));
    pclose(pipe);
  }
  std::vector<Verse> verses;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    const bool begins = line.starts_with("  ") && line.size() > 2 &&
                        std::isdigit(static_cast<unsigned char>(line[2]));
    inside = begins || (inside && !line.empty());
    if (begins) verses.emplace_back();
    std::istringstream tokens(line);
    for (std::string token; inside && tokens >> token;) verses.back().add(token);
  }
  return verses;
}

// Ids of the words that occur at least three times; 0 is padding, 1 is any other word.
class Vocabulary {
 public:
  explicit Vocabulary(const std::vector<Verse>& verses) {
    std::map<std::string, int> counts;
    for (const Verse& verse : verses)
      for (const std::string& word : verse.words) ++counts[word];
    for (const auto& [word, count] : counts)
      if (count >= 3) ids_.emplace(word, 2 + std::ssize(ids_));
  }
  std::int64_t size() const { return 2 + std::ssize(ids_); }
  Tensor encode(const Verse& verse) const {
    std::vector<std::int64_t> ids;
    for (const std::string& word : verse.words) {
      const auto found = ids_.find(word);
      ids.push_back(found == ids_.end() ? 1 : found->second);
    }
    return tensor(ids);
  }

 private:
  std::map<std::string, std::int64_t> ids_;
};

// Verses of different lengths: ids (N, T) and tags (N, T), padded by 0 and -100.
struct Batch {
  Tensor ids, lengths, tags;
};

Batch make_batch(const std::vector<const Verse*>& verses, const Vocabulary& vocabulary) {
  std::vector<Tensor> ids, tags;
  std::vector<std::int64_t> lengths;
  for (const Verse* verse : verses) {
    ids.push_back(vocabulary.encode(*verse));
    tags.push_back(tensor(verse->marks));
    lengths.push_back(std::ssize(verse->words));
  }
  using nn::utils::rnn::pad_sequence;
  return {pad_sequence(ids, {.batch_first = true}), tensor(lengths),
          pad_sequence(tags, {.batch_first = true, .padding_value = -100})};
}

struct Tagger : nn::Module {
  nn::Embedding embedding;
  nn::LSTM lstm{64, 128, {.batch_first = true, .bidirectional = true}};
  nn::Linear head{256, std::ssize(kMarks)};
  TAPER_MODULE(Tagger, embedding, lstm, head)
  explicit Tagger(std::int64_t words) : embedding(words, 64, {.padding_idx = 0}) {}

  // Logits (N, T, tags).
  Tensor forward(const Tensor& ids, const Tensor& lengths) const {
    namespace rnn = nn::utils::rnn;
    const rnn::PackedSequence packed = rnn::pack_padded_sequence(
        embedding(ids), lengths, {.batch_first = true, .enforce_sorted = false});
    return head(rnn::pad_packed_sequence(lstm(packed).first, {.batch_first = true}).first);
  }
};

int main(int argc, char** argv) {
  int steps = 1500, log_every = 100;
  std::uint64_t seed = 1;
  std::string path;
  CLI::App app{"Trains a tagger that restores the punctuation of a text."};
  app.add_option("--text", path, "file; default: the output of `bible`");
  app.add_option("--steps", steps)->capture_default_str();
  app.add_option("--log-every", log_every, "steps per line")->capture_default_str();
  app.add_option("--seed", seed)->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const std::vector<Verse> verses = read_verses(path);
  if (verses.size() < 20) {
    std::fprintf(stderr, "no text, or a short one: install bible-kjv, or use --text FILE\n");
    return 1;
  }
  const auto split = std::ssize(verses) * 9 / 10;
  const std::vector<Verse> train(verses.begin(), verses.begin() + split),
      test(verses.begin() + split, verses.end());
  const Vocabulary vocabulary(train);
  std::printf("%d verses, %d different words\n", static_cast<int>(verses.size()),
              static_cast<int>(vocabulary.size()));

  manual_seed(seed);
  Tagger net(vocabulary.size());
  optim::Adam opt(net.parameters(), {.lr = 3e-3});
  double total = 0;
  for (int step = 1; step <= steps; ++step) {
    std::vector<const Verse*> drawn;
    const Tensor index = randint(std::ssize(train), {32});
    for (const std::int64_t i : index.data<std::int64_t>())
      drawn.push_back(&train[static_cast<std::size_t>(i)]);
    const Batch batch = make_batch(drawn, vocabulary);
    opt.zero_grad();
    const Tensor logits = net(batch.ids, batch.lengths);
    const Tensor loss = F::cross_entropy(logits.flatten(0, 1), batch.tags.flatten());
    loss.backward();
    opt.step();
    total += loss.item<double>();
    if (step % log_every == 0) {
      std::printf("step %4d: loss %.4f\n", step, total / log_every);
      std::fflush(stdout);
      total = 0;
    }
  }

  const NoGrad no_grad;
  Tensor confusion = zeros({std::ssize(kMarks), std::ssize(kMarks)}, {.dtype = int64});
  std::string shown;
  for (std::size_t i = 0; i < test.size(); i += 64) {
    std::vector<const Verse*> part;
    for (std::size_t k = i; k < std::min(i + 64, test.size()); ++k) part.push_back(&test[k]);
    const Batch batch = make_batch(part, vocabulary);
    const Tensor predicted = net(batch.ids, batch.lengths).argmax(2);
    const Tensor valid = batch.tags >= 0;
    const Tensor cell = batch.tags[valid] * std::ssize(kMarks) + predicted[valid];
    confusion += bincount(cell, {}, confusion.numel()).view_as(confusion);
    if (i > 0) continue;
    for (std::int64_t k = 0; k < std::min<std::int64_t>(4, std::ssize(part)); ++k) {
      const Tensor row = predicted[k].contiguous();
      const auto tags = row.data<std::int64_t>();
      shown +=
          "  " + part[static_cast<std::size_t>(k)]->with_marks({tags.begin(), tags.end()}) + "\n";
    }
  }
  const auto share = [](const Tensor& part, const Tensor& all) {
    return 100 * part.sum().item<double>() / std::max(1.0, all.sum().item<double>());
  };
  std::printf("correct: %.2f %% of the words of the last tenth of the text\n",
              share(confusion.diagonal(), confusion));
  for (std::int64_t mark = 1; mark < std::ssize(kMarks); ++mark)
    std::printf("  '%c': %5.1f %% found, %5.1f %% of those set are correct\n",
                kMarks[static_cast<std::size_t>(mark)],
                share(confusion[mark][mark], confusion[mark]),
                share(confusion[mark][mark], confusion[{Slice{}, mark}]));
  std::printf("\n%s", shown.c_str());
}
