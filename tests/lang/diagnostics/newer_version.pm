# A program names the version that it needs.
needs_version("0.1")
print(attempt(needs_version, "0").ok, attempt(needs_version, "1.x").error.message)
print(attempt(needs_version, "1.").ok, attempt(needs_version, "1.2.3.4").ok, attempt(needs_version, "-1").ok)
print(attempt(needs_version, "0.1.0").ok, attempt(needs_version, "0.1.1").ok, attempt(needs_version, "99999999999").ok)
needs_version("23.5")

# expect: true `needs_version` needs a version such as "0.9" or "1.2.3", got "1.x"
# expect: false false false
# expect: true false false
# error: PM0128 ""23.5""
# message: this program needs Polymap 23.5, and this is Polymap 0.1.0
# help: install Polymap 23.5 or newer, or use an older version of the program
