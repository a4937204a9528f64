"""What stands around the act of a sentence: descriptions, conditions, times, moods. Rules over closed word classes and the home's names."""
