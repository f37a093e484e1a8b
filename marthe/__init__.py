"Learning-rate schedules found online by hypergradients, for any torch.optim optimizer"
__version__ = "0.1.0"

from .online import HD, MARTHE, RTHO
