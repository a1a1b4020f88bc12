"""The formats, one file each: every module here defines `FORMAT` (see `kakehashi.formats.registry`)."""
