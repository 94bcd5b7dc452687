// A library without functions, in place of LAPACK: so a program finds that the system has none.
