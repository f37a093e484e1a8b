"The mathematics, exact and slow: what the library is checked against"
