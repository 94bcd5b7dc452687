print(custom_jvp(sin))
# error: PM0804 "custom_jvp"
# message: `custom_jvp` is not available in this version
