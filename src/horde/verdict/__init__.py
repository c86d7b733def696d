"""Which of the paper's claims hold, by the rules fixed in advance."""
