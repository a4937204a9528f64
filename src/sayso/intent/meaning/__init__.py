"""Parts of a sentence around its act: descriptions, conditions, times, moods. Found by rules over closed word classes and the home's names."""
