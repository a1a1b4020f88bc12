"""Shards come in: claimed, solved, checked, written; and the processes around that."""
