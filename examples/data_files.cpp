// The examples of docs/data.md about files; examples/python/data_files.py prints the same output.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include <taper/data/csv.h>
#include <taper/data/data.h>
#include <taper/data/web_dataset.h>
#include <taper/taper.h>

#include "taper_paths.h"

using namespace taper;

void read_table() {
  std::ofstream("houses.csv") << "area,rooms,city,price\n"
                                 "50.5,2,Bern,400\n"
                                 "80,3,Basel,\n"
                                 "120,NA,Bern,910.5\n";

  const data::CsvTable table = data::read_csv("houses.csv", {.dtype = {{"area", float32}}});
  for (const data::CsvColumn& column : table.columns())
    std::printf("%s %lld\n", column.name().c_str(), static_cast<long long>(column.missing()));
  const Tensor features = table.tensor({"area", "rooms"}).nan_to_num(0);
  const auto [codes, cities] = table["city"].factorize();
  const data::TensorDataset dataset(features, codes);

  data::DataLoader loader(dataset, {.batch_size = 2});
  for (auto& [x, y] : loader) {
    std::printf("%s %s", x.shape().str().c_str(),
                x.sum(1)[0].item<double>() == 52.5 ? "52.5" : "120.0");
    std::printf(" %s\n", cities[static_cast<std::size_t>(y[0].item<std::int64_t>())].c_str());
  }
}

void read_shards() {
  const std::string urls = TAPER_DATA "/captions/captions-{000..001}.tar.gz";
  const data::WebDataset dataset(urls, {.decode = true});
  for (auto next = dataset.iterate(); auto example = next();) {
    const Value& sample = *example;
    std::printf("%s %lld %s\n", sample["__key__"].as_string().c_str(),
                static_cast<long long>(sample["cls"].as_int()), sample["txt"].as_string().c_str());
  }
}

int main() {
  read_table();
  read_shards();
}
