//! Messages between agents: what they are, what they may weigh, and how large ones travel in pieces.
