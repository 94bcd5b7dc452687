# The compile time of derivatives of deeply nested loops is linear in the number of loops. If each level doubled it,
# this program would not end.
fn inner(x) {
    mut s = x
    while s < 5 {
        while s < 5 {
            while s < 5 {
                while s < 5 {
                    while s < 5 {
                        while s < 5 {
                            while s < 5 {
                                while s < 5 {
                                    while s < 5 {
                                        while s < 5 {
                                            while s < 5 {
                                                while s < 5 {
                                                    while s < 5 {
                                                        while s < 5 {
                                                            while s < 5 {
                                                                while s < 5 {
                                                                    while s < 5 {
                                                                        while s < 5 {
                                                                            while s < 5 {
                                                                                while s < 5 {
                                                                                    s = s * 1.5
                                                                                }
                                                                            }
                                                                        }
                                                                    }
                                                                }
                                                            }
                                                        }
                                                    }
                                                }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    s
}
fn f(x) {
    mut s = x
    while s < 5 {
        while s < 5 {
            while s < 5 {
                while s < 5 {
                    while s < 5 {
                        while s < 5 {
                            while s < 5 {
                                while s < 5 {
                                    while s < 5 {
                                        while s < 5 {
                                            while s < 5 {
                                                while s < 5 {
                                                    while s < 5 {
                                                        while s < 5 {
                                                            while s < 5 {
                                                                while s < 5 {
                                                                    while s < 5 {
                                                                        while s < 5 {
                                                                            while s < 5 {
                                                                                while s < 5 {
                                                                                    s = inner(s)
                                                                                }
                                                                            }
                                                                        }
                                                                    }
                                                                }
                                                            }
                                                        }
                                                    }
                                                }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    s
}
let x = array((1.0f64, 2.0f64, 7.0f64))
let slopes = array((1.5f64 ** 4, 1.5f64 ** 3, 1.0f64))
assert(all(abs(f(2.0f64) - 6.75) < 1e-12))
assert(all(abs(vmap(grad(f))(x) - slopes) < 1e-12))
assert(abs(jacrev(f)(1.0f64) - slopes[0]) < 1e-12)
assert(abs(hessian(f)(1.0f64)) < 1e-12)
assert(abs(jvp(f, (1.0f64,), (1.0f64,))[1] - slopes[0]) < 1e-12)
