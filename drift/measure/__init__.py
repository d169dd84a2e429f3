"""Measuring: how far results spread from one environment to another."""
