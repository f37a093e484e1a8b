"What reproduces the paper and judges the method; nothing in the library depends on it"
