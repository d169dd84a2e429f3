"""The small models that chapters and labs train."""
