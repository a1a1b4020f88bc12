"""What the engines are measured against: one file for each rival, and the registry that loads them by name."""
