#!/usr/bin/env python3
"""Checks the prose of documents and of comments in C++: the length of lines and sentences, and words that have a better word.
In messages, which are string literals in C++, and in comments of the library it checks only the words.

usage: check.py [ROOT]     words.txt and words_for_users.txt beside this file list the words; CONTRIBUTING.md has the rules"""

import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER.parent.parent

LONGEST_LINE = 110  # characters of a document's line outside of programs and tables
LONGEST_SENTENCE = 45  # words, to the next of . ! ? : ;
FOLDERS = ["bench", "cmake", "compiler", "docs", "examples", "runtime", "stdlib", "tests"]
CODE = {".cpp", ".hpp", ".def", ".h"}


def sources(suffixes):
    """The files of the project with these suffixes."""
    files = [f for f in ROOT.iterdir() if f.is_file()]
    for folder in FOLDERS:
        files += (ROOT / folder).rglob("*")
    return sorted(f for f in files if f.suffix in suffixes)


def paragraphs_of_document(lines):
    """(number of its first line, text) of each paragraph, item and cell of a table; without programs and headings."""
    text, first, fenced = [], 0, False
    for number, line in enumerate(lines + [""], 1):
        stripped = line.strip()
        fence = stripped.startswith("```")
        item = re.match(r"([-*+]|\d+\.)\s+", stripped)
        if text and (fence or not stripped or stripped[0] in "#|<" or item):
            yield first, " ".join(text)
            text = []
        fenced ^= fence
        if fence or fenced or not stripped or stripped[0] in "#<":
            continue
        if stripped[0] == "|":
            yield from ((number, cell) for cell in stripped.strip("|").split("|"))
            continue
        if not text:
            first = number
        text.append(stripped[item.end() :] if item else stripped)


def paragraphs_of_code(lines):
    """(number of its first line, text) of each block of comments; a line of a table (with three blanks) ends a block."""
    text, first = [], 0
    for number, line in enumerate(lines + [""], 1):
        comment = re.search(r"(^|\s)//[/<]*\s?(.*)$", line)
        table = comment and re.search(r"\S   +\S", comment.group(2))
        alone = comment and line.strip().startswith("//")
        if text and (not alone or table):
            yield first, " ".join(text)
            text = []
        if comment and not table:
            if not text:
                first = number
            text.append(comment.group(2))


def sentences(text):
    """The sentences of a paragraph. A name or a piece of code counts as one word."""
    text = re.sub(r"`[^`]*`", "X", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.split(r"(?<=[.!?:;])\s+", text)


def texts_for_users(file, lines):
    """(number of a line, text) of the messages of the compiler, or of the comments of the library."""
    for number, line in enumerate(lines, 1):
        if file.suffix == ".pm":
            comment = re.search(r"(^|\s)##?\s(.*)$", line)
            yield number, comment.group(2) if comment else ""
        elif "compiler" in file.parts and file.suffix in CODE and not line.startswith("#include"):
            yield from ((number, text) for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line))


def words(file):
    """(pattern, better word) of a list."""
    for line in (FOLDER / file).read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, better = line.split("->")
            yield re.compile(rf"\b({pattern.strip()})\b", re.IGNORECASE), better.strip()


def long_lines(lines):
    """Numbers of lines that are too long and can be wrapped at a blank outside of code and links."""
    fenced = False
    for number, line in enumerate(lines, 1):
        fenced ^= line.lstrip().startswith("```")
        plain = re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)", "X", line.strip())
        if not fenced and len(line) > LONGEST_LINE and plain[:1] not in ("|", "<") and " " in plain[2:]:
            yield number


def findings():
    """The findings as texts, and the number of files."""
    found, read, better_words, for_users = [], 0, list(words("words.txt")), list(words("words_for_users.txt"))

    def seek(patterns, number, text):
        found.extend(f"{name}:{number}: `{hit.group(0)}`: better {b}" for p, b in patterns for hit in p.finditer(text))

    for file in sources({".md"} | CODE) + sorted((ROOT / "stdlib").rglob("*.pm")):
        read += 1
        name, lines = file.relative_to(ROOT), file.read_text(errors="replace").splitlines()
        for number, text in texts_for_users(name, lines):
            seek(for_users, number, re.sub(r"`[^`]*`", "X", text))
        if file.suffix == ".pm":
            continue
        document = file.suffix == ".md"
        if document:
            found += [f"{name}:{n}: longer than {LONGEST_LINE} characters" for n in long_lines(lines)]
        for number, text in (paragraphs_of_document if document else paragraphs_of_code)(lines):
            for sentence in sentences(text):
                count = len(sentence.split())
                if count > LONGEST_SENTENCE:
                    found.append(f"{name}:{number}: a sentence of {count} words: {sentence[:60]} ...")
            plain = re.sub(r"`[^`]*`|\"[^\"]*\"", "X", text)
            seek(better_words, number, plain)
    return found, read


def main():
    found, read = findings()
    for text in found:
        print(text)
    print(f"{read} files read, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
