"""What a final text claims, in English and German: by its sentences, their verbs, and the names that stand in them."""
