"""The screens of the README: scenes on the real process, their texts as golden files, their pictures by Chromium."""
