"""Attention against a worked example, NumPy with loops, and torch's own modules with the same weights."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples

torch = pytest.importorskip("torch")

from sayso.nn import (  # noqa: E402
    EncoderLayer,
    MultiHeadAttention,
    head_similarity,
    scaled_dot_product_attention,
)

pytestmark = pytest.mark.long("trains or exports a network")

# Case A of docs/mathematics.md: three tokens of three dimensions.
X = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]], float)
P = np.array([[0, 1, 0], [0.5, 0.5, 0.5], [1, 0, 1]])
W_Q = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]], float)
W_K = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], float)
W_V = np.array([[1, 0, 2], [0, 2, 1], [1, 1, 1]], float)
CASE_A_WEIGHTS = [[0.070217, 0.222805, 0.706977], [0.045232, 0.143526, 0.811242], [0.040672, 0.229885, 0.729443]]
CASE_A_VALUES = [[2.706977, 3.334208, 5.413955], [2.811242, 3.215289, 5.622483], [2.729443, 3.344828, 5.458886]]

seeds = st.integers(0, 2**31 - 1)


def slow_attention(Q, K, V):
    """Equation 3, one query and one key at a time."""
    values, weights = np.zeros((len(Q), V.shape[1])), np.zeros((len(Q), len(K)))
    for i, q in enumerate(Q):
        exponentials = [math.exp(sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q))) for k in K]
        for j, exponential in enumerate(exponentials):
            weights[i, j] = exponential / sum(exponentials)
            values[i] += weights[i, j] * V[j]
    return values, weights


def random_arrays(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def test_the_three_word_example():
    x = X + P
    Q, K, V = (torch.from_numpy(x @ W) for W in (W_Q, W_K, W_V))
    assert (Q @ K.T).tolist() == [[12, 14, 16], [14, 16, 19], [16, 19, 21]]
    values, weights = scaled_dot_product_attention(Q, K, V)
    np.testing.assert_allclose(weights, CASE_A_WEIGHTS, atol=1e-6)
    np.testing.assert_allclose(values, CASE_A_VALUES, atol=1e-6)


def test_a_gradient_step_and_cross_entropy_match_the_worked_example():
    W = torch.tensor([[0.01, -0.02, 0.03], [0, 0.02, -0.01], [-0.01, 0.01, 0.02]], requires_grad=True)
    W.grad = torch.tensor([[0.10, -0.05, 0.02], [0.08, -0.02, 0.01], [0.05, -0.01, 0.03]])
    torch.optim.SGD([W], lr=0.1).step()
    np.testing.assert_allclose(W.detach(), [[0, -0.015, 0.028], [-0.008, 0.022, -0.011], [-0.015, 0.011, 0.017]], atol=1e-8)
    loss = torch.nn.functional.cross_entropy(torch.log(torch.tensor([[0.2, 0.3, 0.5]])), torch.tensor([2]))
    assert loss.item() == pytest.approx(0.693147, abs=1e-6)


@given(seeds, st.integers(1, 5), st.integers(1, 7), st.integers(1, 4))
@examples(30)
def test_attention_equals_the_reference_and_rows_sum_to_one(seed, m, n, d):
    Q, K, V = random_arrays(seed, (m, d), (n, d), (n, 3))
    values, weights = scaled_dot_product_attention(*map(torch.from_numpy, (Q, K, V)))
    slow_values, slow_weights = slow_attention(Q, K, V)
    np.testing.assert_allclose(values, slow_values, atol=1e-12)
    np.testing.assert_allclose(weights, slow_weights, atol=1e-12)
    np.testing.assert_allclose(weights.sum(-1), 1)


@given(seeds)
@examples(10)
def test_the_column_form_is_the_transpose(seed):
    Q, K, V = random_arrays(seed, (4, 3), (5, 3), (5, 2))
    values, _ = scaled_dot_product_attention(*map(torch.from_numpy, (Q, K, V)))
    scores = K @ Q.T / math.sqrt(3)  # columns of Kᵀ as keys: softmax runs down the columns
    columns = V.T @ (np.exp(scores) / np.exp(scores).sum(axis=0))
    np.testing.assert_allclose(values.T, columns, atol=1e-12)


def test_masked_keys_get_no_attention():
    Q, K, V = map(torch.from_numpy, random_arrays(1, (2, 3), (4, 3), (4, 3)))
    values, weights = scaled_dot_product_attention(Q, K, V, torch.tensor([True, False, True, False]))
    assert weights[:, [1, 3]].abs().max() == 0
    np.testing.assert_allclose(values, slow_attention(Q.numpy(), K.numpy()[[0, 2]], V.numpy()[[0, 2]])[0], atol=1e-12)


def with_torchs_weights(ours: MultiHeadAttention, theirs: "torch.nn.MultiheadAttention") -> None:
    projections = (ours.W_Q, ours.W_K, ours.W_V)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([projection.weight for projection in projections]))
        theirs.in_proj_bias.copy_(torch.cat([projection.bias for projection in projections]))
        theirs.out_proj.weight.copy_(ours.W_O.weight)
        theirs.out_proj.bias.copy_(ours.W_O.bias)


def randomised(module):
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return module.eval()


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_multi_head_attention_equals_torch(heads):
    torch.manual_seed(heads)
    ours = randomised(MultiHeadAttention(8, heads))
    theirs = torch.nn.MultiheadAttention(8, heads, batch_first=True).eval()
    with_torchs_weights(ours, theirs)
    queries, keys, values = torch.randn(3, 5, 8), torch.randn(3, 6, 8), torch.randn(3, 6, 8)
    keep = torch.tensor([[True] * 6, [True] * 4 + [False] * 2, [True] + [False] * 5])
    gathered, weights = ours(queries, keys, values, keep)
    expected, expected_weights = theirs(queries, keys, values, key_padding_mask=~keep, average_attn_weights=False)
    torch.testing.assert_close(gathered, expected, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(weights, expected_weights, atol=1e-6, rtol=1e-5)


def test_encoder_layer_equals_torch_with_post_norm():
    torch.manual_seed(0)
    ours = randomised(EncoderLayer(8, 2, 16))
    theirs = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0, batch_first=True).train()  # .eval() would take a different, fused path
    with_torchs_weights(ours.attention, theirs.self_attn)
    pairs = (
        (ours.feed_forward[0], theirs.linear1),
        (ours.feed_forward[3], theirs.linear2),
        (ours.norm_attention, theirs.norm1),
        (ours.norm_feed_forward, theirs.norm2),
    )
    for mine, other in pairs:
        other.load_state_dict(mine.state_dict())
    x, keep = torch.randn(2, 5, 8), torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    torch.testing.assert_close(ours(x, keep)[keep], theirs(x, src_key_padding_mask=~keep)[keep], atol=1e-5, rtol=1e-5)


def test_similarity_of_heads_is_the_mean_cosine_of_their_pairs():
    heads = np.random.default_rng(3).normal(size=(4, 7))
    cosines = [heads[i] @ heads[j] / np.linalg.norm(heads[i]) / np.linalg.norm(heads[j]) for i in range(4) for j in range(i + 1, 4)]
    assert head_similarity(torch.from_numpy(heads)).item() == pytest.approx(np.mean(cosines))
    assert head_similarity(torch.ones(2, 5)).item() == pytest.approx(1)
    assert head_similarity(torch.eye(3)).item() == pytest.approx(0)
    with pytest.raises(ValueError, match="two"):
        head_similarity(torch.ones(1, 5))


def test_minimising_the_similarity_diversifies_the_heads():
    torch.manual_seed(0)
    attention = MultiHeadAttention(8, 4)
    L, V = torch.randn(2, 1, 8), torch.randn(2, 12, 8)
    optimiser = torch.optim.SGD(attention.parameters(), lr=1.0)
    similarities = []
    for _ in range(40):
        similarity = head_similarity(attention(L, V, V)[1][:, :, 0]).mean()
        similarities.append(similarity.item())
        optimiser.zero_grad()
        similarity.backward()
        optimiser.step()
    assert similarities[-1] < 0.8 * similarities[0]


def test_indivisible_dimensions_are_refused():
    with pytest.raises(ValueError, match="evenly"):
        MultiHeadAttention(10, 4)


def test_parameters_of_an_encoder_layer_are_twelve_d_squared_and_its_biases():
    d = 32
    count = sum(parameter.numel() for parameter in EncoderLayer(d, 4, 4 * d).parameters())
    biases_and_norms = 4 * d + (4 * d + d) + 4 * d
    assert count == 12 * d * d + biases_and_norms
