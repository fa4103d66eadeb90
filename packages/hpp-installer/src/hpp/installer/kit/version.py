"""The version of the installer, which receipts record; a test holds it to the distribution's."""

VERSION = "0.1.0"
