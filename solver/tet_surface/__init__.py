"""The tets' own boundary as what is seen of a body: refined, smoothed, and laid anew on new tets."""
