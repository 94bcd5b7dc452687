# How large the measurements are: the program's argument divides their sizes, so that they can be tried on any machine.

let divisor = if len(args) > 0 { int(args[0]) } else { 1 }

fn scaled(n, least=1) = if n // divisor < least { least } else { n // divisor }
