"""Draft in, main moves: propose, gate, review, promote, roll back."""
