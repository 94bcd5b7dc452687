# A file that is not there: the message shows the current folder.
let x = load_npy("not_here.npy")
print(x)
