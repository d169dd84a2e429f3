"""The third lab on the project's own queries, as a reader without Banking77 sees it; its solution quotes the facts."""

import torch

from attention_src.data.vocabulary import build_vocabulary, encode
from attention_src.labs.data import lab_queries
from attention_src.models.classifier import (
    EPOCHS,
    KINDS,
    LEARNING_RATE,
    Classifier,
    accuracy,
    batches,
    predict,
    reverse_real,
    train_epoch,
)
from drift import fact

# Nine runs, three on other vector instructions and six with first weights moved by their last bit, agree in every
# call and in six decimals of every loss.
BITS = 1e-5

data = lab_queries(own=True)
vocabulary = build_vocabulary(data.training.texts)
training, validation = (
    encode(rows.texts, vocabulary, length=48)
    for rows in (data.training, data.validation)
)
answers = data.labels(data.validation)
backwards = reverse_real(validation)


def run(kind: str) -> tuple[Classifier, float]:
    """Train one model by the recipe of the lab; return it with its loss in the last epoch."""
    generator = torch.Generator().manual_seed(42)
    torch.manual_seed(42)
    model = Classifier(len(vocabulary), len(data.intents), kind)
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    loader = batches(training, data.labels(data.training), generator)
    loss = [train_epoch(model, loader, optimizer) for _ in range(EPOCHS)][-1]
    return model, loss


right = {}
changed = {}
for kind in KINDS:
    model, loss = run(kind)
    right[kind] = round(accuracy(model, validation, answers) * len(answers))
    changed[kind] = int(
        (predict(model, validation) != predict(model, backwards)).sum()
    )
    fact(f"{kind}.loss", loss, tol=BITS)
    fact(f"{kind}.right", right[kind])
    fact(f"{kind}.changed", changed[kind])
fact("training", len(data.training))
fact("validation", len(data.validation))
fact("intents", len(data.intents))
fact(
    "steps",
    EPOCHS
    * len(batches(training, data.labels(data.training), torch.Generator())),
)
fact("same_order", right["bag"] > right["causal"] > right["attention"])
