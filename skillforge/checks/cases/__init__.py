"""What a skill ships to prove itself, run where it can do no harm."""
