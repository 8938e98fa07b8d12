"""Files as text: what people write, JSON, and outputs that appear whole or not at all."""
