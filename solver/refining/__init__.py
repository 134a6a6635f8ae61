"""What is seen, refined where stretching thins it and rid of slivers where it is squeezed."""
