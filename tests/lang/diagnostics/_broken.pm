let x = 1
let y = [1, 2] @ x
