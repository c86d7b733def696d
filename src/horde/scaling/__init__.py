"""Figure 1: generated graphs, memory predicted before it is taken, and seconds a round."""
