// A library without functions in place of LAPACK, so that a program finds no LAPACK.
