"""Export and fine-tuning of the sentence encoder."""
