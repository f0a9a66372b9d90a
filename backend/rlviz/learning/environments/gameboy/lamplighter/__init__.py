"""Lamplighter: a small adventure for the Game Boy, its sources, its cartridge and the addresses of its variables.

The cartridge and the addresses are checked in; ``build.py`` makes them again.
"""
