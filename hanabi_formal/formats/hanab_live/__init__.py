"""The formats of hanab.live: seeds, decks, links and recorded games."""
