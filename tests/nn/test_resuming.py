"""Runs that stop in the middle of an epoch go on as if they had not, through the real loaders."""

from __future__ import annotations

import json
import logging

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import sparseaug as sa
from sparseaug.nn import OneShotDataset, OrbitBatchSampler, ResumableLoader, StreamingDataset

LOADERS = {
    "no workers": {"num_workers": 0},
    "2 workers": {"num_workers": 2, "timeout": 60},
    "persistent workers": {"num_workers": 2, "persistent_workers": True, "timeout": 60},
}
each_loader = pytest.mark.parametrize("options", LOADERS.values(), ids=LOADERS)


def copies(rows=((0,), (1,), (2,), (3,)), n=26, group=None, axis=-1, y=None):
    """n samples and 4 elements: 13 batches of 8."""
    group = sa.cyclic(6) if group is None else group
    S = sa.GroupSample(group, rows)
    x = torch.arange(n)[:, None, None] * 100 + torch.arange(36).reshape(6, 6)
    return OneShotDataset(TensorDataset(x, x), sa.permute_axis(S.group, axis), S, y)


def make(kind=ResumableLoader, options=LOADERS["no workers"], data=None, **settings):
    data = copies() if data is None else data
    return kind(data, batch_sampler=OrbitBatchSampler(data, 8, **settings), **options)


def first_entries(loader):
    """A batch is known by the first entries of its copies."""
    return [x[:, 0, 0].tolist() for x, _ in loader]


def epoch_of(number):
    loader = make()
    loader.batch_sampler.set_epoch(number)
    return first_entries(loader)


@each_loader
@pytest.mark.parametrize(
    "settings", [{}, {"copies": "spread"}, {"rank": 1, "num_ranks": 2}], ids=str
)
def test_the_loader_saves_what_the_loop_has_had_and_not_what_was_fetched_ahead(options, settings):
    whole = make(**settings)
    whole.batch_sampler.set_epoch(1)
    expected, end = first_entries(whole), len(whole)
    loader = make(options=options, **settings)
    loader.batch_sampler.set_epoch(1)
    for _ in zip(range(3), loader, strict=False):  # zip asks the first iterator first: 3 batches
        pass
    state = loader.state_dict()
    assert (state["epoch"], state["position"]) == (1, 3)
    resumed = make(options=options, **settings)
    resumed.load_state_dict(json.loads(json.dumps(state)))  # plain data, whatever keeps it
    assert resumed.state_dict() == state
    resumed.batch_sampler.set_epoch(1)  # as a loop does when the epoch begins
    assert first_entries(resumed) == expected[3:]
    assert resumed.state_dict()["position"] == end
    assert first_entries(resumed) == expected  # whole again
    resumed.batch_sampler.set_epoch(2)
    assert resumed.state_dict()["position"] == 0
    assert len(first_entries(resumed)) == end


def test_an_iteration_that_was_left_does_not_move_the_position_of_the_next():
    loader = make()
    left = iter(loader)
    next(left)
    loader.batch_sampler.set_epoch(1)
    next(left)
    state = loader.state_dict()
    assert state["position"] == 0
    loader.load_state_dict({**state, "position": 7})
    next(left)
    assert loader.state_dict()["position"] == 7
    assert len(list(loader)) == 6


def test_the_last_rank_may_load_the_state_of_the_first_which_has_a_batch_more():
    first, last = (make(rank=rank, num_ranks=2, even=False) for rank in range(2))
    assert (len(list(first)), len(last)) == (7, 6)
    last.load_state_dict(first.state_dict())
    assert last.state_dict()["position"] == 6
    assert list(last) == []


def test_the_state_of_another_run_is_refused():
    state = make().state_dict()
    dihedral = copies([[k, 0] for k in range(4)], group=sa.dihedral(6))  # moves x alike
    for other, name in {
        make(data=dihedral): "S",
        make(data=copies([[3], [2], [1], [0]])): "rows",  # a batch lists numbers of rows
        make(data=copies(axis=-2)): "action",
        make(data=copies(y=sa.permute_axis(sa.cyclic(6)))): "y_action",
        make(seed=1): "seed",
    }.items():
        before = other.state_dict()
        with pytest.raises(sa.errors.ArgumentError, match=f"a run with {name}="):
            other.load_state_dict(state)
        assert other.state_dict() == before


def lightning_parts(folder):
    pytorch = pytest.importorskip("lightning.pytorch")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

    class Module(pytorch.LightningModule):
        def __init__(self, seen_of, on_epoch=None):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(1))
            self.seen, self.seen_of, self.on_epoch = [], seen_of, on_epoch

        def on_train_epoch_start(self):
            if self.on_epoch is not None:
                self.on_epoch(self.current_epoch)

        def training_step(self, batch, index):
            self.seen.append((self.current_epoch, index, self.seen_of(batch)))
            return self.weight.sum()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.0)

    class Saving(pytorch.Callback):
        """Saves when ModelCheckpoint does, after each step and at the end of each epoch."""

        def on_train_batch_end(self, trainer, *_):
            trainer.save_checkpoint(folder / f"step {trainer.global_step}")

        def on_train_epoch_end(self, trainer, *_):
            trainer.save_checkpoint(folder / f"end {trainer.global_step}")

    def trainer(save=False):
        return pytorch.Trainer(
            max_epochs=3,
            callbacks=[Saving()] if save else [],
            enable_checkpointing=False,
            accelerator="cpu",
            logger=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            default_root_dir=folder,
        )

    return pytorch, Module, trainer


@pytest.mark.filterwarnings(
    "ignore:.*does not have many workers:UserWarning",
    "ignore:.*isinstance\\(treespec, LeafSpec\\):FutureWarning",
)
class TestLightning:
    @each_loader
    def test_the_trainer_resumes_anywhere_with_the_batches_of_the_whole_run(
        self, options, tmp_path
    ):
        """Three epochs of 13 steps; resumed in the middle of the second, and at the end of others."""
        _, Module, trainer = lightning_parts(tmp_path)

        def module():
            return Module(lambda batch: batch[0][:, 0, 0].tolist())

        whole = module()
        trainer(save=True).fit(whole, make(options=options))
        assert [batch for _, _, batch in whole.seen] == epoch_of(0) + epoch_of(1) + epoch_of(2)
        for name, step in (("step 18", 18), ("step 13", 13), ("end 26", 26)):
            resumed = module()
            loader = make(options=options)
            trainer().fit(resumed, loader, ckpt_path=tmp_path / name, weights_only=True)
            assert resumed.seen == whole.seen[step:]

    @each_loader
    def test_a_streaming_data_set_goes_on_with_the_right_epoch(self, options, tmp_path):
        """The recipe of the docs: the epoch is set where the loader is made, and at each start."""
        pytorch, Module, trainer = lightning_parts(tmp_path)
        group = sa.symmetric(9)

        class Data(pytorch.LightningDataModule):
            def __init__(self):
                super().__init__()
                x = torch.arange(9).repeat(12, 1)
                oracle = sa.Oracle(group, seed=0)
                self.stream = StreamingDataset(TensorDataset(x), sa.permute_axis(group), oracle)

            def train_dataloader(self):
                epoch = self.trainer.fit_loop.epoch_progress.current.processed
                self.stream.set_epoch(epoch)
                return DataLoader(self.stream, batch_size=3, **options)

            def state_dict(self):
                return self.stream.state_dict()

            def load_state_dict(self, state):
                self.stream.load_state_dict(state)

        def run(path=None, save=False):
            data = Data()
            module = Module(lambda batch: batch[0].tolist(), data.stream.set_epoch)
            trainer(save).fit(module, datamodule=data, ckpt_path=path, weights_only=True)
            return module.seen, data.stream.calls

        whole, calls = run(save=True)
        alone = Data().stream
        for epoch in range(3):
            alone.set_epoch(epoch)
            rows = [row for e, _, batch in whole if e == epoch for row in batch]
            assert rows == [item[0].tolist() for item in alone]
        assert calls == 36
        assert run(tmp_path / "end 4") == (whole[4:], 36)
