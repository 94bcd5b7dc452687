"""Highlighting of Polymap's .pm files by Pygments, without installing anything:

    pygmentize -x -l docs/editors/pm_lexer.py:PmLexer examples/digits.pm

The lists and the number below are compared with the compiler's own (tests/unit/syntax/highlighting.cpp),
which reads them from the lines that begin with their names.
"""

import re

from pygments.lexer import RegexLexer, bygroups, default, include, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

__all__ = ["PmLexer"]

KEYWORDS = "let mut fn if else for in while break continue return and or not with import"
CONSTANTS = "true false none"
TRANSFORMS = "pmap vmap grad value_and_grad jvp vjp jit psum pmean"
DTYPES = "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128 key"
OPERATORS = "+ - * / // % @ ** ~ & | ^ << >> < <= > >= == != = += -= *= /= //= %= @= **= &= |= ^= <<= >>= .. ... ->"
PUNCTUATION = "( ) [ ] { } , ; : ."
NUMBER = r"(?:0[xX][0-9a-fA-F](?:_?[0-9a-fA-F])*|0[bB][01](?:_?[01])*|0[oO][0-7](?:_?[0-7])*|[0-9](?:_?[0-9])*(?:\.(?:[0-9](?:_?[0-9])*|(?![.A-Za-z_])))?(?:[eE][-+]?[0-9](?:_?[0-9])*)?)(?:[A-Za-z_][A-Za-z0-9_]*)?"

WORD = r"[^\W\d]\w*"


def _any_of(symbols):
    return "|".join(re.escape(s) for s in sorted(symbols.split(), key=len, reverse=True))


def _words(text):
    return words(text.split(), prefix=r"\b", suffix=r"\b")


class PmLexer(RegexLexer):
    name = "Polymap"
    aliases = ["pm", "polymap"]
    filenames = ["*.pm"]

    tokens = {
        "root": [
            (r"##(?!#).*", String.Doc),
            (r"#.*", Comment.Single),
            include("value"),
            (r"[{}]", Punctuation),
        ],
        "value": [
            (r'(?<=")(\s+)(as)\b', bygroups(Text, Keyword)),
            (r"(\bimport)(\s+)(%s)(\s+)(as)\b" % WORD, bygroups(Keyword, Text, Name, Text, Keyword)),
            (r"\s+", Text),
            (r'r"[^"\n]*"?', String),
            (r'"', String, "text"),
            # Behind a point, and before a touching `=`, every word is a name.
            (r"(\.)(\s*)(%s|[0-9]+)" % WORD, bygroups(Punctuation, Text, Name.Attribute)),
            (NUMBER, Number),
            (r"(\bfn)(\s+)(%s)" % WORD, bygroups(Keyword, Text, Name.Function)),
            (r"\b%s(?==(?!=))" % WORD, Name),
            (r'\btest(?=\s*")', Keyword),
            (_words(KEYWORDS), Keyword),
            (_words(CONSTANTS), Keyword.Constant),
            (_words(TRANSFORMS), Name.Builtin),
            (_words(DTYPES), Keyword.Type),
            (WORD, Name),
            (_any_of(OPERATORS), Operator),
            (r"[()\[\],;:.]", Punctuation),
        ],
        "text": [
            (r'\\(?:[ntr"\\]|u\{[0-9a-fA-F]{1,6}\})', String.Escape),
            (r"\{\{|\}\}", String.Escape),
            (r"\{", String.Interpol, "interpolation"),
            (r'"', String, "#pop"),
            (r"\n", Text, "#pop"),
            (r'[^"\\{}\n]+|.', String),
        ],
        # `{value:format}` of a text; a colon within brackets is none of a format.
        "interpolation": [
            (r"\}", String.Interpol, "#pop"),
            (r":", String.Interpol, "format"),
            (r"[(\[{]", Punctuation, "nested"),
            include("value"),
        ],
        # A format may hold values itself.
        "format": [
            (r'[^{}"\n]+', String.Interpol),
            (r"\{", String.Interpol, "interpolation"),
            (r"\}", String.Interpol, "#pop:2"),
            default("#pop:2"),
        ],
        "nested": [
            (r"[)\]}]", Punctuation, "#pop"),
            (r"[(\[{]", Punctuation, "#push"),
            include("value"),
        ],
    }
