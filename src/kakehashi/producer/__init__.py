"""Batches go out: entries become shards in the database, and bells in the broker point at them."""
