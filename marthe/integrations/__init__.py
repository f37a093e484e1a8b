"The loops that people already have, each with MARTHE in it"
