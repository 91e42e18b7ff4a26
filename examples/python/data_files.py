"""Python version of examples/data_files.cpp; prints the same output. Requires pandas and webdataset."""
import os

import pandas as pd
import torch
import webdataset as wds
from torch.utils.data import DataLoader, TensorDataset

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../data")


def read_table():
    with open("houses.csv", "w") as f:
        f.write("area,rooms,city,price\n50.5,2,Bern,400\n80,3,Basel,\n120,NA,Bern,910.5\n")

    table = pd.read_csv("houses.csv", dtype={"area": "float32"})
    for name in table.columns:
        print(name, table[name].isna().sum())
    features = torch.tensor(table[["area", "rooms"]].to_numpy("float32")).nan_to_num(0)
    codes, cities = table["city"].factorize()
    dataset = TensorDataset(features, torch.tensor(codes))

    loader = DataLoader(dataset, batch_size=2)
    for x, y in loader:
        print(list(x.shape), x.sum(1)[0].item(), cities[y[0].item()])


def read_shards():
    urls = DATA + "/captions/captions-{000..001}.tar.gz"
    dataset = wds.WebDataset(urls, shardshuffle=False).decode()
    for sample in dataset:
        print(sample["__key__"], sample["cls"], sample["txt"])


read_table()
read_shards()
