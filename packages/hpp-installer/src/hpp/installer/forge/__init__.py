"""The forge: sources of modules in, the same distribution tree out, byte for byte.

Nothing here needs more than the standard library and hpp.core, for the module kit-forge
carries a copy of it.
"""
