"""The one line of `OrbitAverage` after training by Lightning's own trainer."""

from __future__ import annotations

import logging

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import sparseaug as sa
from sparseaug.nn import OneShotDataset, OrbitAverage


@pytest.mark.filterwarnings(
    "ignore:.*does not have many workers:UserWarning",
    "ignore:.*isinstance\\(treespec, LeafSpec\\):FutureWarning",
)
def test_a_module_trained_by_lightning_is_averaged_over_a_set_chosen_from_the_trainer_s_loader(
    tmp_path,
):
    pytorch = pytest.importorskip("lightning.pytorch")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

    class Module(pytorch.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 3))

        def forward(self, x):
            return self.net(x)

        def training_step(self, batch, index):
            return nn.functional.cross_entropy(self(batch[0]), batch[1])

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), 0.01)

    torch.manual_seed(0)
    act = sa.roll(sa.cyclic(12), axes=(-1,))
    x = torch.randn(60, 12)
    y = x.square().reshape(60, 3, 4).sum(2).argmax(1)
    S = sa.Oracle(act.group, seed=0).draw(3, identity=True, distinct=True)
    loader = DataLoader(OneShotDataset(TensorDataset(x, y), act, S), 20, shuffle=True)
    trainer = pytorch.Trainer(
        max_epochs=2,
        enable_checkpointing=False,
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tmp_path,
    )
    module = Module()
    trainer.fit(module, loader)

    average = OrbitAverage(module, act, "choose", x=trainer.train_dataloader, error=0.2)

    assert trainer.global_step == 18
    assert 1 < average.choice.sample.m < 12
    with torch.no_grad():
        exact = torch.stack([module(torch.roll(x, j, 1)) for j in range(12)]).mean(0)
        assert ((average(x) - exact) ** 2).sum(1).mean() < 0.2**2
        assert ((module(x) - exact) ** 2).sum(1).mean() > 0.2**2
