"""What an analysis yields, as values; its quality and its summary."""
