"Learning-rate schedules found online by hypergradients, for any torch.optim optimizer"
__version__ = "0.2.0"

from .online import HD, MARTHE, RTHO
