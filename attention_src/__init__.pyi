# What `attention_src` offers, and from which module: for `from attention_src import ...`, type checkers and editors.

from .blockwise.memory import peak_bytes as peak_bytes
from .blockwise.online import blockwise_attention as blockwise_attention
from .core.attention import attention as attention
from .core.scores import scores as scores
from .core.weights import weights as weights
from .data.banking77 import has_banking77 as has_banking77
from .data.banking77 import load_banking77 as load_banking77
from .data.queries import load_queries as load_queries
from .data.tokens import tokenize as tokenize
from .data.vocabulary import build_vocabulary as build_vocabulary
from .data.vocabulary import encode as encode
from .heads import MultiHeadAttention as MultiHeadAttention
from .heads import join_heads as join_heads
from .heads import split_heads as split_heads
from .masks import Align as Align
from .masks import causal_blocked as causal_blocked
from .masks import combine as combine
from .masks import padding_blocked as padding_blocked
from .positions import sinusoidal_positions as sinusoidal_positions

__version__: str
